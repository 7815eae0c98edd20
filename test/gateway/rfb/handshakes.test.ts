import test, { type ExecutionContext } from 'ava'
import { loggingIn, startForwarded } from '../harness.ts'
import { connectTo, type Peer } from '../peers.ts'
import { byteByByte, line, PASSWORD, type SutScript, speakAsClient, speakAsSut, whole } from './speakers.ts'

/** A gateway for a SUT with a password, and bound clients. */
const startRfb = (t: ExecutionContext, given: Parameters<typeof startForwarded>[1] = {}) =>
  startForwarded(t, { forwarding: { protocol: 'vnc' }, ...loggingIn(PASSWORD), ...given })

/** What Berth speaks with a SUT of each version. */
const SUT_VERSIONS: Readonly<Record<string, string>> = {
  '3.3': '3.3',
  '3.4': '3.3',
  '3.5': '3.3',
  '3.6': '3.3',
  '3.7': '3.7',
  '3.8': '3.8',
  '3.889': '3.8',
  '4.1': '3.8',
  '5.0': '3.8',
}

/** What a client of each version is offered: the types, and in 3.8 the result. */
const CLIENT_VERSIONS: Readonly<Record<string, readonly number[]>> = {
  '3.3': [1],
  '3.5': [1],
  '3.7': [1],
  '3.8': [1, 0],
  '3.889': [1],
  '4.0': [1],
}

/** The types of a SUT, and the one that Berth takes; a SUT of 3.3 dictates the first. */
const TYPES: readonly (readonly [types: readonly number[], chosen: number])[] = [
  [[2], 2],
  [[1], 1],
  [[2, 1], 2],
  [[1, 2], 2],
  [[19, 2, 16], 2],
  [[19, 1], 1],
]

test('thorough: a client of any version is let in to a SUT of any version without a password', async (t) => {
  const { sut, listenPort, see, reported } = await startRfb(t)
  let index = 0
  for (const [version, spoken] of Object.entries(SUT_VERSIONS)) {
    for (const [types, chosen] of TYPES) {
      const isDictated = spoken === '3.3'
      if (isDictated && types[0] === 19) continue
      for (const [client, offered] of Object.entries(CLIENT_VERSIONS)) {
        const what = `SUT ${version} with ${types}, client ${client}`
        const speaker = await connectTo(t, listenPort)
        const led = speakAsClient(speaker, client)
        const machine = await sut.accepted(index++)
        const seen = await speakAsSut(machine, { version, types })
        t.deepEqual(seen, { spoken: line(spoken), chosen: isDictated ? (types[0] as number) : chosen }, what)
        t.deepEqual(await led, { greeting: line('3.8'), types: offered }, what)
        speaker.socket.end()
        machine.socket.end()
      }
    }
  }
  await see('the ends', ({ disconnected }) => disconnected.length === index)
  t.true(index > 200)
  for (const end of reported.disconnected) t.like(end, { bytesToSut: 1, bytesFromSut: 18 })
})

test('handshakes that arrive byte by byte succeed', async (t) => {
  const { sut, listenPort } = await startRfb(t)
  for (const [index, version] of ['3.3', '3.7', '3.8'].entries()) {
    const led = speakAsClient(await connectTo(t, listenPort), version, byteByByte)
    await speakAsSut(await sut.accepted(index), { version, types: [2] }, byteByByte)
    t.deepEqual((await led).types, version === '3.8' ? [1, 0] : [1])
  }
})

test('bytes after a handshake in the same segment are forwarded in order', async (t) => {
  const { sut, listenPort } = await startRfb(t)
  const client = await connectTo(t, listenPort)
  client.socket.write(Buffer.concat([Buffer.from(line('3.8')), Buffer.from([1]), Buffer.from('ClientInit and more')]))
  const machine = await sut.accepted()
  machine.socket.write(Buffer.concat([Buffer.from(line('3.8')), Buffer.from([1, 1, 0, 0, 0, 0]), Buffer.from('Early')]))
  t.is((await machine.take(12 + 1 + 19)).subarray(13).toString(), 'ClientInit and more')
  t.is((await client.take(12 + 2 + 4 + 5)).subarray(18).toString(), 'Early')
})

const lines = (peer: Peer, text: string | Uint8Array): void => {
  peer.socket.write(text)
  peer.socket.end()
}

/** SUTs that do not let Berth in, as probes find them too: what they do, what is reported and what the client reads. */
const FAILURES: Readonly<Record<string, readonly [(machine: Peer) => unknown, cause: string, reason: RegExp]>> = {
  'refuses the password': [
    (machine) => speakAsSut(machine, { version: '3.8', types: [2], password: 'other' }),
    'password_refused',
    /refused the password/,
  ],
  'offers nothing that Berth knows': [
    (machine) => speakAsSut(machine, { version: '3.8', types: [16, 19] }).catch(() => undefined),
    'no_security_type',
    /no security type/,
  ],
  'refuses for a reason of its own': [
    (machine) => speakAsSut(machine, { version: '3.7', types: [], reason: 'go away' }),
    'refused_by_server',
    /^The machine refused Berth\. It says: "go away"$/,
  ],
  'is in use after the login': [
    (machine) => speakAsSut(machine, { version: '3.8', types: [2], refusal: 'The server is already in use' }),
    'in_use',
    /^The machine is in use already\. It says: "The server is already in use"$/,
  ],
  'has had too many logins': [
    (machine) => speakAsSut(machine, { version: '3.8', types: [2], refusal: 'Too many attempts from 192.0.2.7' }),
    'locked_out',
    /too many failures.*It says: "Too many attempts from \(address\)"$/,
  ],
  'bars the address as TigerVNC does': [
    (machine) => lines(machine, `${line('3.3')}\0\0\0\0\0\0\0\x1aToo many security failures`),
    'locked_out',
    /bars Berth/,
  ],
  'speaks HTTP': [(machine) => lines(machine, 'HTTP/1.1 400 Bad Request\r\n\r\n'), 'wrong_greeting', /VNC server/],
  'closes at once': [({ socket }) => socket.end(), 'wrong_greeting', /VNC server/],
  resets: [({ socket }) => socket.resetAndDestroy(), 'refused', /refused the connection/],
  'says nothing': [() => undefined, 'timed_out', /in time/],
}
/** What `npm test` runs. */
const FIRST = ['refuses the password', 'is in use after the login', 'says nothing']

for (const [what, [act, cause, reason]] of Object.entries(FAILURES)) {
  test(`${FIRST.includes(what) ? '' : 'thorough: '}a SUT that ${what} is reported, and the client reads why`, async (t) => {
    const { sut, listenPort, see, reported } = await startRfb(
      t,
      cause === 'timed_out' ? { handshakeTimeoutMs: 1_000 } : {},
    )
    for (const [index, version] of ['3.3', '3.7', '3.8'].entries()) {
      const client = await connectTo(t, listenPort)
      const led = speakAsClient(client, version)
      await act(await sut.accepted(index))
      const { reason: read } = await led
      t.regex(read ?? '', reason)
      t.is(await client.ending, 'end')
      client.socket.end()
      await see('the failure', ({ failed }) => failed.length === index + 1)
    }
    t.deepEqual(new Set(reported.failed), new Set([cause]))
    t.deepEqual(reported.connected, [], 'no session')
  })
}

test('the client reads why a SUT cannot be reached', async (t) => {
  const { listenPort } = await startRfb(t, { forwarding: { protocol: 'vnc', port: 1 } })
  const { reason } = await speakAsClient(await connectTo(t, listenPort), '3.8')
  t.is(reason, 'The machine refused the connection.')
})

test('a client is refused if the password is gone when the SUT asks for it', async (t) => {
  const { sut, listenPort } = await startRfb(t, { answerChallenge: () => undefined })
  const led = speakAsClient(await connectTo(t, listenPort), '3.8')
  speakAsSut(await sut.accepted(), { version: '3.8', types: [2] }).catch(() => undefined)
  t.regex((await led).reason ?? '', /Berth has none/)
})

test('a client that is not a VNC client, stays silent, or refuses None is reset', async (t) => {
  const { sut, listenPort, reported } = await startRfb(t, { handshakeTimeoutMs: 1_000 })
  for (const text of ['GET / HTTP/1.1\r\n', '', 'RFB 3.8\n']) {
    const client = await connectTo(t, listenPort)
    client.socket.write(text)
    t.is(await client.ending, 'reset')
    t.is(client.received().toString(), line('3.8'))
  }
  t.is(sut.sockets.length, 0, 'the SUT is not connected to before the client has spoken')

  const client = await connectTo(t, listenPort)
  client.socket.write(`${line('3.8')}\x02`)
  speakAsSut(await sut.accepted(), { version: '3.8', types: [2] }).catch(() => undefined)
  t.is(await client.ending, 'reset')
  t.deepEqual(reported.connected, [])
})

test("a client that leaves does not break off the SUT's handshake", async (t) => {
  const { sut, listenPort } = await startRfb(t)
  const client = await connectTo(t, listenPort)
  client.socket.write(line('3.8'))
  const machine = await sut.accepted()
  client.socket.resetAndDestroy()
  const script: SutScript = { version: '3.8', types: [2] }
  await t.throwsAsync(speakAsSut(machine, script, whole), { message: /ended/ }, 'there is no ClientInit')
  t.is(machine.received().length, 12 + 1 + 16, 'version, type and response')
})

const UNCHANGED = {
  'an unbound client': [{ isBound: false, hasPassword: true }, 'vnc'],
  'a SUT without a password': [{ isBound: true, hasPassword: false }, 'vnc'],
  'a SUT of type rdp': [{ isBound: true, hasPassword: true }, 'rdp'],
  'a SUT of type tcp': [{ isBound: true, hasPassword: true }, 'tcp'],
} as const
for (const [what, [verdict, protocol]] of Object.entries(UNCHANGED)) {
  test(`the bytes of ${what} are unchanged`, async (t) => {
    const admit = () => ({ admitted: true, ...verdict }) as const
    const { sut, listenPort } = await startRfb(t, { admit, forwarding: { protocol } })
    const client = await connectTo(t, listenPort)
    const machine = await sut.accepted()
    machine.socket.write('RFB 003.003\n')
    t.is((await client.take(12)).toString(), 'RFB 003.003\n')
    client.socket.write('RFB 003.003\n')
    t.is((await machine.take(12)).toString(), 'RFB 003.003\n')
  })
}
