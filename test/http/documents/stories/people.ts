import { passwordOf } from '../../client.ts'
import { idOf } from '../../harness.ts'
import type { Ask } from './story.ts'

/** Users come, change and go. */

const CREATE = 'POST /api/user/create'
const UPDATE = 'POST /api/user/:id/update'
const REMOVE = 'POST /api/user/:id/remove'
const RESTORE = 'POST /api/user/:id/restore'

const adding = async (ask: Ask): Promise<string> => {
  const added = await ask(CREATE, 'Without a password', { body: { name: 'carol', role: 'tester' } })
  const body = { name: 'dave', role: 'auditor', password: 'correct horse dave' }
  await ask(CREATE, 'With a password and an id', { body: { ...body, _id: 'dave@lab' } })
  await ask(CREATE, 'The name is taken', { body: { ...body, name: 'CAROL' } })
  await ask(CREATE, 'The id is taken', { body: { ...body, name: 'erin', _id: 'dave@lab' } })
  const importing = 'POST /api/user/import'
  const users = [
    { name: 'frida', role: 'tester', scope: 'team=qa1' },
    { ...body, name: 'greta' },
  ]
  await ask(importing, 'One with a password', { body: { users } })
  await ask(importing, 'Only a check', { body: { users: [{ name: 'hanna', role: 'tester' }], dry_run: true } })
  await ask(importing, 'A name is taken', {
    body: { users: [{ name: 'hanna', role: 'tester' }, ...users.slice(0, 1)] },
  })
  return String(added._id)
}

const changing = async (ask: Ask, id: string): Promise<void> => {
  await ask(UPDATE, 'Another name and role', { at: id, body: { name: 'caroline', role: 'administrator' } })
  await ask(UPDATE, 'A tester again', { at: id, body: { role: 'tester' } })
  await ask(UPDATE, 'A quota and a scope', {
    at: id,
    body: { quota: { hours_per_week: 40, reservations_max: 20 }, scope: 'team=qa1' },
  })
  await ask(UPDATE, 'The last administrator', { at: idOf('admin'), body: { role: 'auditor' } })
  await ask('POST /api/user/:id/password', 'A new password', { at: id, body: { password: 'battery staple' } })
  await ask('POST /api/user/:id/logout', 'Everywhere', { at: id })
  const own = { old_password: passwordOf('bob'), password: 'battery staple' }
  await ask('POST /api/user/me/password', 'Bob’s own password', { who: 'bob', body: own })
  await ask('POST /api/user/me/password', 'Not the old one', {
    who: 'alice',
    body: { ...own, old_password: 'battery horse' },
  })
}

const leaving = async (ask: Ask, id: string): Promise<void> => {
  await ask(RESTORE, 'It has not been removed', { at: id })
  await ask(REMOVE, 'The reservations are cancelled', { at: id, body: { reservations: 'cancel' } })
  await ask(UPDATE, 'It has been removed', { at: id, body: { role: 'tester' } })
  await ask(RESTORE, 'A removed user', { at: id })
  await ask(REMOVE, 'The reservations are kept', { at: id, body: { reservations: 'keep' } })
  await ask('POST /api/user/:id/erase', 'A removed user', { at: id })
  await ask(RESTORE, 'It has been erased', { at: id })
}

export const tellPeople = async (ask: Ask): Promise<void> => {
  const id = await adding(ask)
  await changing(ask, id)
  await ask('GET /api/user/:id', 'As an auditor sees it', { who: 'audrey', at: id })
  await ask('GET /api/user/:id', 'As a tester sees another', { who: 'alice', at: id })
  await leaving(ask, id)
  await ask('GET /api/user/:id/history', 'From its making to its erasure', { who: 'audrey', at: id })
}
