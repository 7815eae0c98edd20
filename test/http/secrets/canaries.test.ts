import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { stdSerializers } from 'pino'
import type { NewEvent } from '../../../src/domain/event.ts'
import { type Service, serve } from '../../process/harness.ts'
import { basic } from '../client.ts'
import { type Line, start, temporaryData } from '../harness.ts'
import { said } from '../lab.ts'
import { aReservation, aSut, createSut } from '../requests.ts'
import { exchange } from '../server/raw-http.ts'
import { changedStore } from '../store/stores.ts'
import { filesIn, leaks, type Place, placeOf, writtenBy } from './canary.ts'
import { canary, makeSecrets, refusedByNode, requestsWith, type Secrets, soughtFor } from './secret-requests.ts'

interface Stage {
  readonly data: string
  readonly secrets: Secrets
  readonly service: Service
  readonly restart: () => Promise<Service>
}

const stage = async (t: ExecutionContext): Promise<Stage> => {
  const data = await temporaryData(t)
  const secrets = makeSecrets()
  const env = {
    BERTH_LOG_LEVEL: 'trace',
    BERTH_ADMIN_PASSWORD: secrets.adminPassword,
    BERTH_VAULT_KEY: `canary:${secrets.vaultKey}`,
  }
  const restart = () => serve(t, { data, env })
  return { data, secrets, service: await restart(), restart }
}

const isUpdate = ([event]: readonly NewEvent[]): boolean => event?.type === 'SutUpdated'

/** Drops the tables of a running service, to cause an unexpected error. */
const breakViews = (data: string): void => {
  const views = new DatabaseSync(join(data, 'views.db'), { timeout: 5_000 })
  try {
    const tables = views.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    views.exec('PRAGMA foreign_keys = OFF')
    for (const { name } of tables) if (!String(name).startsWith('sqlite_')) views.exec(`DROP TABLE "${name}"`)
  } finally {
    views.close()
  }
}

test('no secret is in any file, log line or answer, even after errors, a failure and a crash', async (t) => {
  const { data, secrets, service, restart } = await stage(t)
  const sought = soughtFor(secrets)
  const admin = service.as('admin', secrets.adminPassword)
  const added = { name: 'alice', role: 'tester', password: secrets.testersPassword }
  const alice = await admin.post('/api/user/create', added)
  const tester = service.as('alice', secrets.testersPassword)

  const { password, userName } = secrets
  const created = await admin.post('/api/sut/create', aSut({ password, user_name: userName }))
  const sut = String(created.json._id)
  const times = { start_in: 0, duration: 900, start_time: undefined, end_time: undefined }
  const reservation = aReservation(sut, { user_id: alice.json._id, ...times })
  const answers = [
    created,
    await tester.post('/api/sut_reservation/create', reservation, { 'Idempotency-Key': secrets.retryKey }),
    ...(await Promise.all(requestsWith(secrets, admin, service, sut))),
    await admin.get(`/api/sut/${sut}`),
  ]
  t.deepEqual([created.status, answers[1]?.status], [201, 201])
  for (const bytes of refusedByNode(secrets)) {
    const answer = await exchange(service.port, bytes)
    if (answer === undefined) return t.fail('closed without an answer')
    answers.push(answer)
  }
  t.deepEqual(leaks(sought, [...answers.map(placeOf), ...(await writtenBy(service, data))]), [])

  // Killed during writes.
  const dying = Array.from({ length: 20 }, () =>
    admin.post(`/api/sut/${sut}/update`, { password, user_name: userName }).catch(() => undefined),
  )
  await dying[0]
  service.signal('SIGKILL')
  await Promise.all([...dying, service.exited])
  t.deepEqual(leaks(sought, await writtenBy(service, data)), [])

  const again = await restart()
  const recovered = again.as('admin', secrets.adminPassword)
  t.is((await recovered.get(`/api/sut/${sut}`)).status, 200)
  breakViews(data)
  const failed = await recovered.get('/api/sut/58c38f5d444553252cce0000', { 'Idempotency-Key': secrets.retryKey })
  t.true(failed.status >= 500)
  const failedToo = await recovered.post(
    `/api/sut/${sut}/update`,
    { password },
    { 'Idempotency-Key': secrets.retryKey },
  )
  await again.stop()
  const places = [placeOf(failed), placeOf(failedToo), ...(await writtenBy(again, data))]
  t.deepEqual(leaks(sought, places), [])
})

/** A log line as it is written. */
const written = (line: Line): Place => {
  const { err, ...facts } = line.facts as { err?: Error }
  const text = JSON.stringify({ ...facts, err: err && stdSerializers.err(err), msg: line.sentence })
  return { name: `the log: ${text}`, bytes: Buffer.from(text) }
}

test('the log line and the answer of an unexpected error contain no secret', async (t) => {
  const path = join(await temporaryData(t), 'events.db')
  const openStore = changedStore(path, (store) => ({
    append: (stream, ...rest) => {
      if (isUpdate(rest[1])) throw new TypeError(`${stream} is broken`, { cause: new Error('a cause') })
      return store.append(stream, ...rest)
    },
  }))
  const service = await start(t, { openStore })
  const secrets = makeSecrets()
  const sut = await createSut(service.as('admin'))
  const body = { password: secrets.password, user_name: secrets.userName }
  const headers = { 'Idempotency-Key': secrets.retryKey }
  const failed = await service.as('admin').post(`/api/sut/${sut}/update`, body, headers)
  t.is(said(failed), '500 internal')
  t.notRegex(failed.text, /broken|TypeError|cause/)
  const lines = service.log.map(written)
  t.true(lines.some(({ name }) => name.includes(String(failed.json.instance)) && name.includes('is broken')))
  const sought = { ...soughtFor(secrets), 'Authorization in use': Buffer.from(basic('admin').slice('Basic '.length)) }
  t.deepEqual(leaks(sought, [placeOf(failed), ...lines]), [])
})

test("control: the same search finds a canary in a SUT's description, in the answer and in the files", async (t) => {
  const { data, secrets, service } = await stage(t)
  const description = canary()
  const admin = service.as('admin', secrets.adminPassword)
  const created = await admin.post('/api/sut/create', aSut({ description }))
  service.signal('SIGKILL')
  await service.exited
  const found = leaks({ description: Buffer.from(description) }, [placeOf(created), ...(await filesIn(data))])
  t.true(found.some((leak) => leak.startsWith('description as JSON in the answer 201')))
  t.true(found.some((leak) => /^description as JSON in .*events\.db(-wal)?$/.test(leak)))
})
