/** Content codings of responses (RFC 9110, section 8.4.1; RFC 8878). */

export type Coding = 'zstd' | 'gzip'

/** The same bytes in every coding. */
export type Compressed = Readonly<Record<Coding, Uint8Array>>

/** Bytes up to which a body is sent as it is: it would take as many packets compressed. */
export const UNCOMPRESSED_MAX = 4_096

const WEIGHTS: Readonly<Record<Coding, RegExp>> = {
  zstd: /(?:^|,)[ \t]*zstd[ \t]*(?:;[ \t]*q=([\d.]+)[ \t]*)?(?:,|$)/i,
  gzip: /(?:^|,)[ \t]*(?:x-)?gzip[ \t]*(?:;[ \t]*q=([\d.]+)[ \t]*)?(?:,|$)/i,
}

const weightOf = (accepted: string, coding: Coding): number => {
  const found = WEIGHTS[coding].exec(accepted)
  return found === null ? 0 : Number(found[1] ?? 1)
}

/** The coding that an Accept-Encoding field prefers of ours; undefined if it names none. */
export const codingOf = (accepted: string | undefined): Coding | undefined => {
  if (accepted === undefined) return undefined
  const [zstd, gzip] = [weightOf(accepted, 'zstd'), weightOf(accepted, 'gzip')]
  if (zstd > 0 && zstd >= gzip) return 'zstd'
  return gzip > 0 ? 'gzip' : undefined
}

/** The entity tag of a representation in a coding: strong tags of different bytes differ. */
export const codedTag = (entityTag: string, coding: Coding): string => `${entityTag.slice(0, -1)}-${coding}"`

/** The same bytes, not a copy: Koa takes no other array of bytes. */
export const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)
