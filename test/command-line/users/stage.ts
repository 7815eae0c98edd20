import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { basic, passwordOf } from '../../http/client.ts'
import { type Setting, start } from '../../http/harness.ts'
import { NOW } from '../../http/requests.ts'
import { type Ran, type } from '../terminal.ts'
import { follow } from '../transcript.ts'

export const PEOPLE = ['admin', 'alice', 'bob', 'audrey']

/** A running service that has admin, alice, bob and audrey, and the command line beside it or at its URL. */
export const besideService = async (t: ExecutionContext, setting: Setting = {}) => {
  const service = await start(t, { now: NOW, ...setting })
  const { now } = service.clock
  const environment = { BERTH_DATA: service.data }
  return {
    service,
    /** Runs a transcript. */
    berth: (transcript: string): Promise<string> => follow(t, transcript, environment, { now }),
    run: (line: readonly string[], stdin: string | Buffer = ''): Promise<Ran> =>
      type(line, environment, { stdin: async () => Buffer.from(stdin), now }),
    /** The environment in which a user asks the service at its URL. */
    at: async (name: string) => {
      const file = join(service.data, `${name}.credentials`)
      await writeFile(file, `${name}:${passwordOf(name)}\n`, { mode: 0o600 })
      return { BERTH_URL: service.url, BERTH_CREDENTIALS_FILE: file }
    },
    /** Whose name and password these are, or the code of the refusal. */
    whoIs: async (name = '', password = ''): Promise<unknown> => {
      const { json } = await service.anyone.get('/api/user/me', { Authorization: basic(name, password) })
      return json._id ?? json.code
    },
    /** In the order of their creation. */
    names: async (): Promise<readonly string[]> => {
      const { users } = (await service.as('admin').get('/api/user')).json as { users: readonly { name: string }[] }
      return users.map(({ name }) => name).toReversed()
    },
  }
}
