import { Gauge, type Registry } from 'prom-client'

/** A value that is measured whenever metrics are requested. */
export interface Measured {
  readonly name: string
  readonly help: string
  /** With these labels, if any. */
  readonly labels?: Readonly<Record<string, string>>
  readonly measure: () => number | Promise<number>
}

/** Several, which a label tells apart. */
export interface MeasuredByLabel {
  readonly name: string
  readonly help: string
  readonly label: string
  /** Values of the label that are always shown. */
  readonly known: readonly string[]
  readonly measureAll: () => Figures | Promise<Figures>
}
type Figures = Readonly<Record<string, number>>

/** The other metrics matter most when one does not respond. */
const GAUGE_TIMEOUT_MS = 2_000

/** What was measured; undefined if that failed or took too long. */
const inTime = async <A>(measure: () => A | Promise<A>): Promise<A | undefined> => {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(late.resolve, GAUGE_TIMEOUT_MS)
  try {
    return await Promise.race([measure(), late.promise])
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

/** Starts exposing gauges: NaN where one cannot be measured. */
export const registerGauges = (register: Registry, gauges: readonly (Measured | MeasuredByLabel)[]): void => {
  for (const gauge of gauges) {
    const labelNames = 'label' in gauge ? [gauge.label] : Object.keys(gauge.labels ?? {})
    new Gauge({
      ...{ name: `berth_${gauge.name}`, help: gauge.help, labelNames, registers: [register] },
      async collect() {
        if ('measure' in gauge) return this.set(gauge.labels ?? {}, (await inTime(gauge.measure)) ?? Number.NaN)
        const figures = (await inTime(gauge.measureAll)) ?? {}
        for (const value of new Set([...gauge.known, ...Object.keys(figures)]))
          this.set({ [gauge.label]: value }, figures[value] ?? Number.NaN)
      },
    })
  }
}
