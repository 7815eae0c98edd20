import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { SealedSecret } from '../../src/domain/sealed-secret.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import { type } from '../command-line/terminal.ts'
import { addressOf, openAdapter, startInstances } from '../event-store/eventstoredb/service/instances.ts'
import { openStore } from '../event-store/sqlite/subject.ts'
import { type Running, start } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'

const CANARY = 'CaNaRy-0123456789'

const setPassword = async (service: Running, sut: string, password: string): Promise<void> => {
  const { status, text } = await service.as('admin').post(`/api/sut/${sut}/update`, { password })
  if (status !== 200) throw new Error(text)
}

/** A service with two SUTs that have secrets and one without, and how to reopen its store. */
interface Lab {
  readonly suts: readonly [string, string]
  readonly service: Running
  readonly environment: Readonly<Record<string, string>>
  readonly openToTamper: () => Promise<EventStore>
}

const withSecrets = async (service: Running): Promise<readonly [string, string]> => {
  const admin = service.as('admin')
  const one = await createSut(admin, { password: `${CANARY} one`, user_name: 'root' })
  const two = await createSut(admin, { password: `${CANARY} before` })
  await setPassword(service, two, `${CANARY} two`)
  await createSut(admin)
  return [one, two]
}

const embedded = async (t: ExecutionContext): Promise<Lab> => {
  const service = await start(t)
  return {
    suts: await withSecrets(service),
    service,
    environment: { BERTH_DATA: service.data },
    openToTamper: async () => openStore(t, join(service.data, 'events.db')),
  }
}

const shared = async (t: ExecutionContext): Promise<Lab> => {
  const { server, services, environment } = await startInstances(t, { count: 1 })
  const service = services[0] as Running
  return {
    suts: await withSecrets(service),
    service,
    environment: { ...environment, BERTH_DATA: service.data, BERTH_EVENT_STORE: addressOf(server, 0) },
    openToTamper: () => openAdapter(t, server),
  }
}

const flipped = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes, (byte, n) => (n === 3 ? byte ^ 1 : byte))

/** What is done to the password of the first SUT, and the finding. */
const tamperings: readonly (readonly [
  string,
  (own: SealedSecret, other: SealedSecret) => SealedSecret | undefined,
  RegExp,
])[] = [
  ['deleted', () => undefined, /^the password of the SUT \w+ is missing in the vault$/],
  [
    "swapped for another SUT's",
    (own, { nonce, ciphertext }) => ({ ...own, nonce, ciphertext }),
    /^the password of the SUT \w+ cannot be opened: it was not sealed here with the key/,
  ],
  [
    'damaged',
    (own) => ({ ...own, ciphertext: flipped(own.ciphertext) }),
    /^the password of the SUT \w+ cannot be opened: .* it was altered$/,
  ],
  [
    'cut short',
    (own) => ({ ...own, ciphertext: own.ciphertext.subarray(0, 9) }),
    /cannot be opened: it is incomplete$/,
  ],
  [
    'given the id of another key',
    (own) => ({ ...own, key_id: 'k0' }),
    /in the vault names a key that this log has never used$/,
  ],
  [
    'restored from an older version',
    (own) => ({ ...own, id: 'f'.repeat(24) }),
    /in the vault belongs to a different change than this event$/,
  ],
]

for (const [where, lab] of Object.entries({ embedded, EventStoreDB: shared })) {
  const only = lab === embedded ? '' : 'thorough: '
  test(`${only}${where}: an untouched vault is sound, also while the service runs`, async (t) => {
    const { environment } = await lab(t)
    const { code, out, error } = await type(['verify', '--vault'], environment)
    t.deepEqual([code, error], [0, ''])
    t.regex(out, /^vault: 15 secrets, 15 of them opened\nsound: /)
    const json = JSON.parse((await type(['verify', '--vault', '--json'], environment)).out)
    t.like(json, { sound: true, found: 0, vault: { secrets: 15, opened: 15, unopened: [] }, not_checked: [] })
  })

  test(`${only}${where}: verify without a key, or without the vault, reports what it did not check`, async (t) => {
    const { environment } = await lab(t)
    const plain = await type(['verify'], environment)
    t.is(plain.code, 0)
    t.regex(plain.out, /^not checked: the secrets in the vault \(use --vault\)\nsound: /)
    const absent = join(String(environment.BERTH_DATA), 'absent.key')
    const { BERTH_VAULT_KEY: _, ...others } = environment
    const { code, out } = await type(['verify', '--vault'], { ...others, BERTH_VAULT_KEY_FILE: absent })
    t.is(code, 0, out)
    t.regex(
      out,
      /^vault: 15 secrets, 0 of them opened\nnot checked: 15 secrets, as their key "[^"]+" is not in .*absent\.key\nsound: /,
    )
    await writeFile(absent, 'hush')
    const broken = await type(['verify', '--vault'], { ...others, BERTH_VAULT_KEY_FILE: absent })
    t.deepEqual([broken.code, broken.out], [1, ''])
    t.regex(broken.error, /^berth: .*absent\.key: key 1 must be/)
  })

  // Of what either store keeps, the laws of secrets say the same.
  for (const [what, tamper, finding] of tamperings.slice(0, lab === embedded ? undefined : 1)) {
    test(`${only}${where}: a password that was ${what} is found, and no password is shown`, async (t) => {
      const { environment, suts, service, openToTamper } = await lab(t)
      await service.stop()
      const store = await openToTamper()
      const passwordOf = async (sut: string) =>
        (await store.readSecrets(sut)).find(({ field }) => field === 'password') as SealedSecret
      const [own, other] = [await passwordOf(suts[0]), await passwordOf(suts[1])]
      const next = tamper(own, other)
      await store.exchangeSecrets([{ old: own, ...(next && { next }) }])
      await store.close()
      const { code, out } = await type(['verify', '--vault', '--json'], environment)
      const { sound, found, findings, vault } = JSON.parse(out)
      t.deepEqual([code, sound, found, vault.opened], [3, false, 1, 14], out)
      t.regex(findings[0].what, finding)
      t.true(findings[0].what.includes(suts[0]))
      const printed = await type(['verify', '--vault'], environment)
      t.regex(printed.out, /^position \d+: the password of .*\nvault: 15 secrets, 14 of them opened\nNOT sound: /)
      t.false(`${out}${printed.out}`.includes(CANARY))
      t.is((await type(['verify'], environment)).code, 0, 'the log alone does not show it')
    })
  }
}

test('a secret that no event has set is found, even for an unknown SUT', async (t) => {
  const { environment, suts, service, openToTamper } = await embedded(t)
  await service.stop()
  const store = await openToTamper()
  const [own] = await store.readSecrets(suts[0])
  await store.writeSecrets([
    { ...(own as SealedSecret), owner: 'a'.repeat(24) },
    { ...(own as SealedSecret), owner: suts[1], field: 'user_name' },
  ])
  await store.close()
  const { code, out } = await type(['verify', '--vault'], environment)
  t.is(code, 3)
  t.true(out.includes(`the vault has the password of the SUT ${'a'.repeat(24)}, which no event has set\n`), out)
  t.true(out.includes(`the vault has the user_name of the SUT ${suts[1]}, which no event has set\n`), out)
})

test('thorough: the vault is sound while a service keeps changing passwords', async (t) => {
  const { environment, suts, service } = await embedded(t)
  let isOver = false
  const changing = (async () => {
    for (let n = 0; !isOver; n++) await setPassword(service, suts[n % 2] as string, `change ${n}`)
  })()
  for (let n = 0; n < 5; n++) t.is((await type(['verify', '--vault'], environment)).code, 0)
  isOver = true
  await changing
  t.false(service.log.some(({ facts }) => 'alarm' in facts))
})
