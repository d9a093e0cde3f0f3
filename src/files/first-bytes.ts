/** Reads no more of the body than `bytesMax`. */
export async function firstBytes(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= bytesMax) break
  }
  return Buffer.concat(chunks).subarray(0, bytesMax)
}
