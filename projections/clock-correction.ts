import { failMissing, type Projection } from './projection.ts'

/** A span of public positions with wrong times, and the time that replaces them. */
export interface ClockCorrection {
  readonly from: number
  readonly to: number
  readonly time: string
}

/** Clock corrections of a stream, keyed by its SUT's id or, for other streams, by its name. Each event is a version. */
export const clockCorrectionProjection: Projection<ClockCorrection> = {
  name: 'clock_correction',
  version: 1,
  key: (event) => (event.type === 'ClockCorrected' ? (event.data.sut_id ?? event.stream) : undefined),
  begins: () => true,
  evolve: (document, event) =>
    event.type === 'ClockCorrected'
      ? { ...event.data.positions, time: event.data.time }
      : (document ?? failMissing('clock_correction', event)),
}
