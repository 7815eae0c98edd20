import type { ExecutionContext } from 'ava'
import { basic } from '../../http/client.ts'
import { type Running, type Setting, start } from '../../http/harness.ts'
import { NOW } from '../../http/requests.ts'
import { type Ran, type } from '../terminal.ts'

/** A running service that has admin, alice, bob and audrey, and the commands beside it. */
export interface Stage {
  readonly service: Running
  readonly run: (line: readonly string[], stdin?: string | Buffer) => Promise<Ran>
  readonly user: (line: readonly string[], stdin?: string | Buffer) => Promise<Ran>
  /** Whose name and password these are, or the code of the refusal. */
  readonly whoIs: (name?: string, password?: string) => Promise<unknown>
}

export const PEOPLE = ['admin', 'alice', 'bob', 'audrey']

/** Whose name and password these are at a service, or the code of the refusal. */
export const whoIsAt =
  ({ anyone }: Pick<Running, 'anyone'>) =>
  async (name = '', password = ''): Promise<unknown> => {
    const { json } = await anyone.get('/api/user/me', { Authorization: basic(name, password) })
    return json._id ?? json.code
  }

export const besideService = async (t: ExecutionContext, setting: Setting = {}): Promise<Stage> => {
  const service = await start(t, { now: NOW, ...setting })
  const { now } = service.clock
  const run = (line: readonly string[], stdin: string | Buffer = '') =>
    type(line, { BERTH_DATA: service.data }, { stdin: async () => Buffer.from(stdin), now })
  return {
    service,
    run,
    user: (line, stdin) => run(['user', ...line], stdin),
    whoIs: whoIsAt(service),
  }
}
