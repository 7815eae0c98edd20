import test, { type ExecutionContext } from 'ava'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { lawsOfAppending } from './laws-of-appending.ts'
import { lawsOfErasing } from './laws-of-erasing.ts'
import { lawsOfReading } from './laws-of-reading.ts'
import { lawsOfRepeating } from './laws-of-repeating.ts'
import { lawsOfSecrets } from './laws-of-secrets.ts'
import { lawsOfSubscribing } from './laws-of-subscribing.ts'

/** A store with its own log, and a way to close it and open the same log again. */
export interface Subject {
  readonly store: EventStore
  readonly reopen: () => Promise<EventStore>
}

export interface Law {
  readonly title: string
  /** Throws an AssertionError if the law is broken. `timeout` is in milliseconds. */
  readonly check: (subject: Subject, timeout: number) => Promise<void>
}

const laws: readonly Law[] = [
  ...lawsOfAppending,
  ...lawsOfRepeating,
  ...lawsOfReading,
  ...lawsOfSecrets,
  ...lawsOfErasing,
  ...lawsOfSubscribing,
]

/** Milliseconds. */
const TIMEOUT = 20_000

type Open = (t: ExecutionContext) => Promise<Subject>

/**
 * The laws of the port, as tests of one adapter. `open` opens a store and cleans up after the test; what is slow there
 * is left to the thorough run.
 */
export const storeContract = (name: string, open: Open, slow: readonly string[] = []): void => {
  for (const { title, check } of laws) {
    test(`${slow.includes(title) ? 'thorough: ' : ''}${name}: ${title}`, async (t) => {
      await t.notThrowsAsync(check(await open(t), TIMEOUT))
    })
  }
}
