import {hash} from 'node:crypto'

import type {SignatureRecipe} from '../recipe.ts'

const blockBytes: Readonly<Record<SignatureRecipe['hash'], number>> = {
  md5: 64,
  sha1: 64,
  sha256: 64,
  sha512: 128,
}

/**
 * HMAC (RFC 2104) for millions of messages under one key: two one-shot hashes over buffers that are reused.
 * `createHmac` makes a stream for each message, and that costs more than the hashing; a test compares both.
 * Messages and digests are "binary" strings, a character a byte.
 */
export class FastHmac {
  private readonly algorithm: SignatureRecipe['hash']
  private readonly block: number
  private readonly outer: Buffer
  private inner: Buffer

  constructor(algorithm: SignatureRecipe['hash'], key: Uint8Array) {
    this.algorithm = algorithm
    this.block = blockBytes[algorithm]
    const short = key.length > this.block ? hash(algorithm, key, 'buffer') : key
    this.inner = Buffer.alloc(this.block + 1024, 0x36)
    this.outer = Buffer.alloc(this.block + hash(algorithm, '', 'buffer').length, 0x5c)
    for (const [index, byte] of short.entries()) {
      this.inner[index] = byte ^ 0x36
      this.outer[index] = byte ^ 0x5c
    }
  }

  sign(message: string): string {
    const end = this.block + message.length
    if (end > this.inner.length) {
      const larger = Buffer.alloc(end * 2)
      this.inner.copy(larger, 0, 0, this.block)
      this.inner = larger
    }
    this.inner.write(message, this.block, 'latin1')
    const first = hash(this.algorithm, this.inner.subarray(0, end), 'binary')
    this.outer.write(first, this.block, 'latin1')
    return hash(this.algorithm, this.outer, 'binary')
  }
}
