import test from 'ava'
import { checkLaw, type Law, type Way } from './law.ts'
import { lawsOfAppends } from './laws-of-appends.ts'
import { lawsOfReads } from './laws-of-reads.ts'
import { lawsOfSubscriptions } from './laws-of-subscriptions.ts'

/** What a server is asked for appends by each of the two ways there are on the wire. */
const WAYS: readonly Way[] = ['classic', 'batch']

export const laws: readonly Law[] = [...lawsOfAppends, ...lawsOfReads, ...lawsOfSubscriptions]

/** Holds a server to every law; it may hold anything else, and be written to meanwhile. */
export const serverConformance = (name: string, address: () => string): void => {
  for (const way of WAYS) {
    // Of the whole process: whoever closes one client fails the batch appends of all the others.
    const declare = way === 'batch' ? test.serial : test
    for (const law of laws) {
      declare(`${name}, ${way}: ${law.title}`, async (t) => {
        await checkLaw(law, address(), way)
        t.pass()
      })
    }
  }
}
