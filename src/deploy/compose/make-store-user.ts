/** Makes, once, the ordinary user of the cluster that Berth connects as, and lets it read $all. */

import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { EventStoreDBClient } from '@eventstore/db-client'

const { NODES = '', NODE_EXTRA_CA_CERTS: authority = '' } = process.env
const ATTEMPTS = 90
const RETRY_DELAY_MS = 2_000
const REQUEST_TIMEOUT_MS = 5_000

const password = readFileSync('/run/passwords/admin', 'utf8')
const authorization = `Basic ${btoa(`admin:${password}`)}`
const ask = (node: string, path: string, more: RequestInit = {}): Promise<Response> =>
  fetch(`https://${node}${path}`, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), redirect: 'manual', ...more })

const findLeader = async (): Promise<string> => {
  for (const node of NODES.split(',')) {
    const info = await ask(node, '/info').then(
      async (response) => (await response.json()) as { state?: string },
      () => undefined,
    )
    if (/^leader$/i.test(info?.state ?? '')) return node
  }
  throw new Error('there is no leader yet')
}

const allowToReadAll = async (node: string): Promise<void> => {
  const address = `esdb://admin:${password}@${node}?tls=true&tlsCAFile=${encodeURIComponent(authority)}`
  const client = EventStoreDBClient.connectionString(address)
  try {
    const { metadata } = await client.getStreamMetadata('$all')
    const readRoles = [...new Set([metadata?.acl?.readRoles ?? '$admins', 'berth'].flat())]
    await client.setStreamMetadata('$all', { ...metadata, acl: { ...metadata?.acl, readRoles } })
  } finally {
    await client.dispose()
  }
}

/** The user comes last: where it exists, everything has been done. */
const makeUser = async (): Promise<void> => {
  const node = await findLeader()
  const known = await ask(node, '/users/berth', { headers: { authorization } })
  if (known.ok) return
  if (known.status !== 404) throw new Error(`GET /users/berth: ${known.status}`)
  await allowToReadAll(node)
  const Password = readFileSync('/run/store/password', 'utf8')
  const body = JSON.stringify({ LoginName: 'berth', FullName: 'Berth', Groups: [], Password })
  const headers = { authorization, 'content-type': 'application/json' }
  const answer = await ask(node, '/users/', { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(`POST /users/: ${answer.status}`)
}

for (let attempt = 1; ; attempt++) {
  try {
    await makeUser()
    process.exit(0)
  } catch (error) {
    process.stderr.write(`the store's user berth cannot be made yet: ${(error as Error).message}\n`)
    if (attempt === ATTEMPTS) process.exit(1)
    await delay(RETRY_DELAY_MS)
  }
}
