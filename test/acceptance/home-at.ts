import type {FakeService} from '../fake-service/service.ts'
import {OwnHome} from './own-home.ts'

/** A home whose environment alone reaches the fake service. */
export function homeAt(service: FakeService): OwnHome {
  return new OwnHome({
    HISAB_MERCHANT_ID: service.merchant.id,
    HISAB_API_SECRET: service.merchant.apiSecret,
    HISAB_BASE_URL: service.baseUrl,
    HISAB_APPLY_URL: service.applyUrl,
    HISAB_RETURN_URL: 'https://merchant.example/webhooks',
  })
}
