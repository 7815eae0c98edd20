import { createCipheriv } from 'node:crypto'

const KEY_BYTES = 8

const mirrored = (byte: number): number => {
  let mirror = 0
  for (let bit = 0; bit < 8; bit++) mirror |= ((byte >> bit) & 1) << (7 - bit)
  return mirror
}

/**
 * The response of VNC Authentication (RFC 6143, 7.2.2): DES with the first 8 bytes of the password as the key, the bits
 * of each byte mirrored, as all implementations do. Runs in the main thread, which has the passwords.
 *
 * @param challenge 16 bytes
 */
export const respondToChallenge = (password: string, challenge: Uint8Array): Uint8Array => {
  const key = Buffer.alloc(KEY_BYTES)
  Buffer.from(password).copy(key)
  const mirror = key.map(mirrored)
  // OpenSSL 3 has single DES only in its legacy provider. Triple DES with three equal keys is single DES.
  const cipher = createCipheriv('des-ede3', Buffer.concat([mirror, mirror, mirror]), null).setAutoPadding(false)
  return Buffer.concat([cipher.update(challenge), cipher.final()])
}
