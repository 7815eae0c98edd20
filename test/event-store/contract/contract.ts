import { AssertionError } from 'node:assert'
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

/** Makes each opened store break a law. */
export type Break = () => (store: EventStore) => EventStore

export interface Law {
  readonly title: string
  /** Throws an AssertionError if the law is broken. `timeout` is in milliseconds. */
  readonly check: (subject: Subject, timeout: number) => Promise<void>
  /** Stores that break this law, keyed by how. The check must fail for each. */
  readonly brokenBy: Readonly<Record<string, Break>>
}

const laws: readonly Law[] = [
  ...lawsOfAppending,
  ...lawsOfRepeating,
  ...lawsOfReading,
  ...lawsOfSecrets,
  ...lawsOfErasing,
  ...lawsOfSubscribing,
]

const TIMEOUT = 20_000
/** For broken stores, some of which never answer. */
const TIMEOUT_WITH_BROKEN_ONES = 300

const broken = (subject: Subject, breakIt: Break): Subject => {
  const wrap = breakIt()
  return { store: wrap(subject.store), reopen: async () => wrap(await subject.reopen()) }
}

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

/** Proves that each check fails for stores that break its law. */
export const contractControls = (name: string, open: Open): void => {
  for (const { title, check, brokenBy } of laws) {
    for (const [how, breakIt] of Object.entries(brokenBy)) {
      test(`control: ${name}: a store that ${how} fails: ${title}`, async (t) => {
        const subject = broken(await open(t), breakIt)
        await t.throwsAsync(check(subject, TIMEOUT_WITH_BROKEN_ONES), { instanceOf: AssertionError })
      })
    }
  }
}
