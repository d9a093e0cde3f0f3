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

describe('a sign within a number', () => {
  const ofDigits = new NameIndex(
    ['7713412068', 'DEP770012'].map((orderNo) => ({orderNo, platformOrderNo: `p-${orderNo}`})),
  )
  test.each<[string, string[]]>([
    ['7713412 068 given', ['7713412068']],
    ['77134 12068', ['7713412068']],
    ['order 77-134-12-068', ['7713412068']],
    ['৭৭১৩৪১২ ০৬৮', ['7713412068']],
    ['DEP77 0012', ['DEP770012']],
    ['7713412 069', []],
    ['7713412, 068', []],
    ['500 200 68', []],
  ])('%s names %j', (text, named) => {
    expect([...new Set(ofDigits.find(text).map(({orderNo}) => orderNo))]).toEqual(named)
  })
})
