import { writeFile } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Alarms } from '../telemetry/alarms.ts'
import { type AddedUser, addUser } from './administer.ts'
import { openUsers, type Users, type UsersAlarm } from './users.ts'

/** Name of the administrator created at the first start. */
const NAME = 'admin'

export interface FirstAdministrator {
  readonly name: string
  /** Absent if the password was configured. */
  readonly password?: string
}

interface Where {
  readonly usersFile: string
  readonly adminPassword?: string
}

interface World {
  readonly clock: () => number
  readonly randomBytes: (size: number) => Uint8Array
  readonly alarms: Pick<Alarms, 'raise' | 'clear'>
}

type Opened = { readonly users: Users; readonly firstAdministrator: FirstAdministrator | undefined }

const makeAdministrator = async (
  where: Where,
  { clock, randomBytes }: World,
): Promise<E.Either<string, FirstAdministrator>> => {
  const { usersFile, adminPassword: password } = where
  const made = await addUser({ name: NAME, role: 'administrator', password }, { usersFile, now: clock, randomBytes })
  return E.map(({ madePassword }: AddedUser) => ({
    name: NAME,
    ...(madePassword !== undefined && { password: madePassword }),
  }))(made)
}

/** Opens the users file. If it does not exist and the log is empty, creates it with an administrator. */
export const openOrCreateUsers = async (
  where: Where,
  world: World,
  isNew: boolean,
): Promise<E.Either<readonly string[], Opened>> => {
  const onAlarm = (alarm: UsersAlarm): void => {
    if (alarm.kind === 'broken') world.alarms.raise('users', `the previous users stay in use: ${alarm.detail}`)
    else world.alarms.clear('users', 'the users file can be read again')
  }
  const open = () => openUsers({ path: where.usersFile, onAlarm })
  const found = await open()
  if (E.isRight(found)) {
    if (!isNew || found.right.list().length > 0) return E.right({ users: found.right, firstAdministrator: undefined })
    found.right.close()
  } else if (found.left.kind !== 'absent') {
    return E.left([found.left.detail])
  }
  if (!isNew) {
    const remedy = 'npm run berth -- user add NAME --role administrator'
    return E.left([`there is a log but no users file ${where.usersFile}: restore it, or create one with ${remedy}`])
  }
  const made = await makeAdministrator(where, world)
  if (E.isLeft(made)) return E.left([made.left])
  const users = await open()
  if (E.isLeft(users)) return E.left([users.left.detail])
  return E.right({ users: users.right, firstAdministrator: made.right })
}

/** Writes the password to a file readable only by its owner, for a service without a terminal. */
export const writePasswordFile = (file: string, { name, password }: FirstAdministrator): Promise<void> =>
  writeFile(file, `${name}\n${password}\n`, { mode: 0o600, flag: 'wx' })
