import { failMissing, type Projection } from './projection.ts'

/** A span of public positions whose times are wrong, and the time that counts in place of theirs. */
export interface ClockCorrection {
  readonly from: number
  readonly to: number
  readonly time: string
}

/** The corrections of a stream, by its SUT or, where it is of none, its own name: each event is a version. */
export const clockCorrectionProjection: Projection<ClockCorrection> = {
  name: 'clock_correction',
  version: 1,
  key: (event) => (event.type === 'ClockCorrected' ? (event.data.sut_id ?? event.stream) : undefined),
  begins: () => true,
  evolve: (document, event) =>
    event.type === 'ClockCorrected'
      ? { ...event.data.positions, time: event.data.time }
      : (document ?? failMissing('clock_correction', event)),
  ended: () => null,
}
