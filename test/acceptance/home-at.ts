import type {FakeService} from '../fake-service/service.ts'
import {OwnHome} from './own-home.ts'

/** What reaches the fake service, but for the API key. */
export function environmentAt({merchant, baseUrl, applyUrl}: FakeService): Readonly<Record<string, string>> {
  return {
    HISAB_MERCHANT_ID: merchant.id,
    HISAB_API_SECRET: merchant.apiSecret,
    HISAB_BASE_URL: baseUrl,
    HISAB_APPLY_URL: applyUrl,
    HISAB_RETURN_URL: 'https://merchant.example/webhooks',
  }
}

export function homeAt(service: FakeService): OwnHome {
  return new OwnHome(environmentAt(service))
}
