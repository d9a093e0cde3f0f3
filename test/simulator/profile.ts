import {type Dialect, defaultDialect} from '../../src/core/dialect.ts'
import {defaultLedgerMapping, noPayoutLimits, type Profile} from '../../src/core/profile.ts'
import {merchantId} from './service.ts'
import type {Tongue} from './tongue.ts'

/** The merchant's profile, with every setting of the dialect at its default. */
export const profile: Profile = {
  ...{
    name: 'live',
    environment: 'live',
    merchantId,
    returnUrl: 'https://shop.example/hook',
    dialect: defaultDialect,
  },
  ...{
    baseUrl: 'https://pay.example/v1',
    applyUrl: 'https://apply.example/v1',
    legacyUrl: 'https://pay.example',
  },
  ...{ledger: defaultLedgerMapping, payouts: noPayoutLimits},
}

/** The same with the settings that say how the service speaks. */
export function profileOf(told: Tongue): Profile {
  return {...profile, dialect: dialectOf(told)}
}

function dialectOf({queryField, fields, words, absence, legacy, join, sort}: Tongue): Dialect {
  const {orderNo, platformNo: platformOrderNo, status, amount} = fields
  return {
    ...defaultDialect,
    depositQuery: {orderNo: queryField},
    response: {orderNo: [orderNo], platformOrderNo, status, amount},
    status: {completed: [words.completed], open: [words.processing, words.pending], failed: [words.failed]},
    notFound: {http: absence.status < 400 ? [] : [absence.status], codes: [absence.code]},
    legacySignature: {...legacy, keyEncoding: 'utf8'},
    deliveryJoin: join,
    requestSignature: {...defaultDialect.requestSignature, sort},
  }
}
