import test from 'ava'
import { checkLaw, type Law, type Way } from './law.ts'
import { lawsOfAppends } from './laws-of-appends.ts'
import { lawsOfReads } from './laws-of-reads.ts'
import { lawsOfSubscriptions } from './laws-of-subscriptions.ts'

/** The protocol's two append methods. */
const WAYS: readonly Way[] = ['classic', 'batch']

export const laws: readonly Law[] = [...lawsOfAppends, ...lawsOfReads, ...lawsOfSubscriptions]

/** Checks every law against a server, which may contain other data and have other writers. */
export const serverConformance = (name: string, address: () => string): void => {
  for (const way of WAYS) {
    // Closing one client fails the batch appends of all other clients in the process.
    const declare = way === 'batch' ? test.serial : test
    for (const law of laws) {
      declare(`${name}, ${way}: ${law.title}`, async (t) => {
        await checkLaw(law, address(), way)
        t.pass()
      })
    }
  }
}
