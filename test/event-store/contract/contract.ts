import { AssertionError } from 'node:assert'
import test, { type ExecutionContext } from 'ava'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { lawsOfAppending } from './laws-of-appending.ts'
import { lawsOfReading } from './laws-of-reading.ts'
import { lawsOfRepeating } from './laws-of-repeating.ts'
import { lawsOfSecrets } from './laws-of-secrets.ts'
import { lawsOfSubscribing } from './laws-of-subscribing.ts'

/** A store over a log of its own, and the same log once more after closing it. */
export interface Subject {
  readonly store: EventStore
  readonly reopen: () => Promise<EventStore>
}

/** Turns the store, whenever it is opened, into one that breaks a law. */
export type Break = () => (store: EventStore) => EventStore

export interface Law {
  readonly title: string
  /** Throws an AssertionError where the law is broken; `patience` is how many milliseconds it waits for what must come. */
  readonly check: (subject: Subject, patience: number) => Promise<void>
  /** Stores that break this law, by what they do: the check must fail for each. */
  readonly brokenBy: Readonly<Record<string, Break>>
}

const laws: readonly Law[] = [
  ...lawsOfAppending,
  ...lawsOfRepeating,
  ...lawsOfReading,
  ...lawsOfSecrets,
  ...lawsOfSubscribing,
]

const PATIENCE = 20_000
/** For a store that is known to keep one waiting for ever. */
const PATIENCE_WITH_BROKEN_ONES = 300

const broken = (subject: Subject, breakIt: Break): Subject => {
  const wrap = breakIt()
  return { store: wrap(subject.store), reopen: async () => wrap(await subject.reopen()) }
}

type Open = (t: ExecutionContext) => Promise<Subject>

/** The laws of the port, as tests of one adapter. `open` gives an opened store, and tidies up with the test. */
export const storeContract = (name: string, open: Open): void => {
  for (const { title, check } of laws) {
    test(`${name}: ${title}`, async (t) => {
      await t.notThrowsAsync(check(await open(t), PATIENCE))
    })
  }
}

/** That the laws are no empty words: over stores that break them in known ways, each check fails. */
export const contractControls = (name: string, open: Open): void => {
  for (const { title, check, brokenBy } of laws) {
    for (const [how, breakIt] of Object.entries(brokenBy)) {
      test(`${name}: it shows when a store ${how}: ${title}`, async (t) => {
        const subject = broken(await open(t), breakIt)
        await t.throwsAsync(check(subject, PATIENCE_WITH_BROKEN_ONES), { instanceOf: AssertionError })
      })
    }
  }
}
