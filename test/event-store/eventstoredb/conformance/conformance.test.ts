import test from 'ava'
import { startProtocolServer } from '../protocol/protocol-server.ts'
import { checkLaw } from './law.ts'
import { lawsOfAppends } from './laws-of-appends.ts'
import { lawsOfReads } from './laws-of-reads.ts'
import { lawsOfSubscriptions } from './laws-of-subscriptions.ts'

const server = await startProtocolServer()
test.after.always(server.close)

/** Checks every law against a server, which may contain other data and have other writers. */
const serverConformance = (name: string, address: () => string): void => {
  for (const law of [...lawsOfAppends, ...lawsOfReads, ...lawsOfSubscriptions]) {
    test(`${name}: ${law.title}`, async (t) => {
      await checkLaw(law, address())
      t.pass()
    })
  }
}

serverConformance('the protocol server', () => server.address)

const given = process.env.TEST_EVENT_STORE
if (given !== undefined && given !== '') serverConformance('the server given', () => given)
