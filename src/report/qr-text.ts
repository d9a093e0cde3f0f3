import {renderUnicodeCompact} from 'uqr'

/**
 * An address as a QR code of half blocks. Light modules are drawn, so that a dark terminal shows dark on light, as
 * cameras expect. Null if the address is too long.
 */
export function qrText(address: string): string | null {
  try {
    // Cameras need four light modules around the code.
    return renderUnicodeCompact(address, {ecc: 'M', border: 4})
  } catch {
    return null
  }
}
