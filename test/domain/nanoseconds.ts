import type { Instant } from '../../src/domain/values/instant.ts'

const SECOND = 1_000_000_000n

/** The instant so many nanoseconds after 1970, or before it. */
export const instantOf = (nanoseconds: bigint): Instant => {
  const inSecond = ((nanoseconds % SECOND) + SECOND) % SECOND
  return { seconds: Number((nanoseconds - inSecond) / SECOND), nanoseconds: Number(inSecond) }
}

/** Unix nanoseconds. */
export const nanosecondsOf = ({ seconds, nanoseconds }: Instant): bigint =>
  BigInt(seconds) * SECOND + BigInt(nanoseconds)
