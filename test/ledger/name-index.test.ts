import {describe, expect, test} from 'vitest'
import {NameIndex} from '../../src/ledger/name-index.ts'

const index = new NameIndex(
  ['DEP01015', 'DEP01027'].map((orderNo) => ({orderNo, platformOrderNo: `6f1c-${orderNo}-platform`})),
)
const namesIn = (text: string) => [...new Set(index.find(text).map(({orderNo}) => orderNo))]

describe('letters typed for digits', () => {
  test.each([
    'DEPO1O15',
    'DEP01O15',
    'DEP0l0I5',
    'DEP-O1O15',
    'manual DEPo1o15',
    'O1O15',
    '1O15 booked by hand',
  ])('%s is DEP01015', (text) => {
    expect(namesIn(text)).toEqual(['DEP01015'])
  })

  test.each(['8A1O2C3D4L', 'DEPO1O16', 'slot 1O', 'Only 1 of 10'])('%s names none', (text) => {
    expect(namesIn(text)).toEqual([])
  })
})
