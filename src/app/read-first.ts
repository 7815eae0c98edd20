import type { UpcomingReservations } from '../processes/upcoming.ts'

/** Attempts at the first read, and between them: what lasts must not keep the service from being ready. */
const [READS_MAX, READ_RETRY_DELAY_MS] = [5, 1_000]

interface ReadFirstOptions {
  readonly upcoming: Pick<UpcomingReservations, 'load'>
  readonly log: { readonly error: (facts: object, sentence: string) => void }
  /** Whether the views cannot be written. Lists may then never be readable, and an alarm says so. */
  readonly isUnwritten: () => boolean
  readonly pause: (milliseconds: number) => Promise<void>
  readonly signal: AbortSignal
}

/** Reads which reservations run: their ports are opened before the service is ready. */
export const readFirst = async ({ upcoming, log, isUnwritten, pause, signal }: ReadFirstOptions): Promise<void> => {
  for (let reads = 1; !signal.aborted; reads++) {
    try {
      // False while a checkpoint holds lists up.
      if ((await upcoming.load()) || isUnwritten() || reads === READS_MAX) return
    } catch (error) {
      if (signal.aborted) return
      log.error({ err: error }, 'reservations cannot be read ahead; retrying')
      if (reads === READS_MAX) return
    }
    await pause(READ_RETRY_DELAY_MS)
  }
}
