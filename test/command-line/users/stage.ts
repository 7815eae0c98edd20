import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { basic, passwordOf } from '../../http/client.ts'
import { type Running, type Setting, start } from '../../http/harness.ts'
import { NOW } from '../../http/requests.ts'
import { type Ran, type } from '../terminal.ts'
import { follow } from '../transcript.ts'

export const PEOPLE = ['admin', 'alice', 'bob', 'audrey']

/** Lines of values with tabs between them. */
export const rowsOf = (text: string): readonly (readonly string[])[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))

/** The environment in which a user asks a service at its URL. */
export const environmentAt = async (
  { data, url }: Running,
  name: string,
): Promise<Readonly<Record<string, string>>> => {
  const file = join(data, `${name}.credentials`)
  await writeFile(file, `${name}:${passwordOf(name)}\n`, { mode: 0o600 })
  return { BERTH_URL: url, BERTH_CREDENTIALS_FILE: file }
}

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
    at: (name: string) => environmentAt(service, name),
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
