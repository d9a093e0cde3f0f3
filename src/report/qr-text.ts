import {renderUnicodeCompact} from 'uqr'

/**
 * An address as a QR code of half blocks, two modules a character; the light ones are drawn, so on a dark terminal
 * it is dark on light as cameras want it. Null where the address is too long for one.
 */
export function qrText(address: string): string | null {
  try {
    // Less than four light modules around a code, and some cameras do not find it.
    return renderUnicodeCompact(address, {ecc: 'M', border: 4})
  } catch {
    return null
  }
}
