import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import type { Cause } from '../../src/domain/monitoring/status.ts'
import { type ProbeOptions, type ProbeTarget, probe } from '../../src/gateway/probe/probe.ts'
import { until } from '../http/until.ts'
import { areInstalled } from '../tools.ts'
import { deafPort } from './deaf.ts'
import { freePort, HOST, peer, startSut } from './peers.ts'
import { PASSWORD, type SutScript, speakAsSut } from './rfb/speakers.ts'
import { isListening, startXvnc, takePicture, PASSWORD as XVNC_PASSWORD } from './rfb/xvnc.ts'

const SOON = 10_000

const find = (target: Partial<ProbeTarget>, options: Partial<ProbeOptions> = {}) =>
  probe(
    { host: HOST, port: 1, sut_type: 'tcp', password: undefined, ...target },
    { isOwn: () => false, signal: new AbortController().signal, connectMs: 2_000, answerMs: 2_000, ...options },
  )

/** The cause alone. */
const look = async (...asked: Parameters<typeof find>) => (await find(...asked))?.cause

const sends =
  (bytes: string | Uint8Array) =>
  (socket: Socket): void => {
    socket.write(bytes)
    socket.resume()
  }

test('a tcp SUT is online if it accepts a connection, which is then closed', async (t) => {
  const sut = await startSut(t)
  t.is(await look({ port: sut.port }), undefined)
  t.is(await (await sut.accepted()).ending, 'end')
  t.is((await sut.accepted()).received().length, 0)
})

test('a port that nobody listens on is refused, for every type', async (t) => {
  const port = await freePort()
  for (const sut_type of ['tcp', 'vnc', 'rdp'] as const) t.is(await look({ port, sut_type }), 'refused')
})

test('a name that does not resolve is an unknown host', async (t) => {
  t.is(await look({ host: 'no-such-machine.invalid' }, { connectMs: 20_000 }), 'unknown_host')
})

test('an address without a route is unreachable, and so is Berth itself', async (t) => {
  t.is(await look({ host: '255.255.255.255' }), 'unreachable')
  const sut = await startSut(t)
  t.is(await look({ port: sut.port }, { isOwn: () => true }), 'unreachable')
  t.is(sut.sockets.length, 0)
})

test('a machine that does not accept a connection within 5 s times out, whatever its type', async (t) => {
  const port = await deafPort(t)
  const begun = performance.now()
  const options = { isOwn: () => false, signal: new AbortController().signal }
  const types = ['tcp', 'vnc', 'rdp'] as const
  const found = types.map((sut_type) => probe({ host: HOST, port, sut_type, password: undefined }, options))
  t.deepEqual(await Promise.all(found), Array(3).fill({ cause: 'timed_out' }))
  const seconds = (performance.now() - begun) / 1_000
  t.true(seconds > 4.9 && seconds < 8, `${seconds} s`)
})

/** Machines that accept and are neither VNC nor RDP servers: what they do, and what a probe finds. */
const OTHERS: Readonly<Record<string, readonly [handle: (socket: Socket) => unknown, cause: Cause]>> = {
  'stays silent': [(socket) => socket.resume(), 'timed_out'],
  'speaks HTTP': [sends('HTTP/1.1 400 Bad Request\r\n\r\n'), 'wrong_greeting'],
  'says less than either expects': [sends('hi\n'), 'wrong_greeting'],
  'says something like a VNC server': [sends('RFB 003.00x'), 'wrong_greeting'],
  'closes in the middle of a greeting': [(socket) => socket.resume().end('RFB 003'), 'wrong_greeting'],
  closes: [(socket) => socket.resume().end(), 'wrong_greeting'],
  resets: [(socket) => socket.resetAndDestroy(), 'refused'],
}
for (const [what, [handle, cause]] of Object.entries(OTHERS))
  test(`a machine that accepts and ${what} is neither a VNC nor an RDP server: ${cause}`, async (t) => {
    const { port } = await startSut(t, handle)
    const options = cause === 'timed_out' ? { answerMs: 100 } : {}
    for (const sut_type of ['vnc', 'rdp'] as const) t.is(await look({ port, sut_type }, options), cause)
  })

test('a VNC server that stops in the middle of its greeting times out', async (t) => {
  const { port } = await startSut(t, sends('RFB 003'))
  t.is(await look({ port, sut_type: 'vnc' }, { answerMs: 100 }), 'timed_out')
})

test('any Connection Confirm counts as an RDP server', async (t) => {
  for (const [what, answer, cause] of [
    ['a confirmation', '0300000b06d00000123400', undefined],
    ['one that refuses', '030000130ed000001234000300080005000000', undefined],
    ['a Disconnect Request', '0300000b06800000123400', 'wrong_greeting'],
    ['one that is too long', '0300ffff06d00000123400', 'wrong_greeting'],
  ] as const) {
    const { port } = await startSut(t, (socket) => socket.once('data', () => socket.write(answer, 'hex')))
    t.is(await look({ port, sut_type: 'rdp' }), cause, what)
  }
})

test('the Connection Request is well formed', async (t) => {
  const sut = await startSut(t)
  const looked = look({ port: sut.port, sut_type: 'rdp' }, { answerMs: 500 })
  const request = await (await sut.accepted()).take(19)
  t.is(request.toString('hex'), '030000130ee000000000000100080003000000')
  await looked
})

/** What a probe finds of a VNC server, and what that one was sent after its SecurityResult. */
const lookAtVnc = async (t: Parameters<typeof startSut>[0], script: SutScript, password?: string) => {
  const spoken = Promise.withResolvers<string>()
  const sut = await startSut(t, (socket) => {
    speakAsSut(peer(socket), script).then(
      () => spoken.resolve('a ClientInit'),
      (error: Error) => spoken.resolve(error.message),
    )
  })
  const cause = await look({ port: sut.port, sut_type: 'vnc', password })
  return [cause, await spoken.promise]
}
const NO_MORE = 'ended after 0 bytes'

for (const version of ['3.3', '3.7', '3.8']) {
  test(`a probe of a VNC server of version ${version} ends after SecurityResult, without a ClientInit`, async (t) => {
    t.deepEqual(await lookAtVnc(t, { version, types: [2] }, PASSWORD), [undefined, NO_MORE])
    t.deepEqual(await lookAtVnc(t, { version, types: [1] }, PASSWORD), [undefined, NO_MORE], 'None is as good')
    t.deepEqual(await lookAtVnc(t, { version, types: [2] }), ['no_password', NO_MORE], 'without a password')
    t.deepEqual(await lookAtVnc(t, { version, types: [2] }, ''), ['no_password', NO_MORE], 'an empty one is none')
    t.deepEqual(await lookAtVnc(t, { version, types: [1] }), [undefined, NO_MORE], 'None is finished')
    if (version !== '3.3') t.deepEqual(await lookAtVnc(t, { version, types: [2, 1] }), [undefined, NO_MORE])
    t.is((await lookAtVnc(t, { version, types: [2] }, 'wrong'))[0], 'password_refused')
    t.is((await lookAtVnc(t, { version, types: [19] }, PASSWORD))[0], 'no_security_type')
    t.is((await lookAtVnc(t, { version, types: [], reason: 'Too many attempts' }, PASSWORD))[0], 'locked_out')
    t.is((await lookAtVnc(t, { version, types: [], reason: 'closed today' }, PASSWORD))[0], 'refused_by_server')
    t.is((await lookAtVnc(t, { version, types: [], reason: '' }, PASSWORD))[0], 'no_security_type')
  })
}

test('a probe lasts until the VNC server has noticed that it leaves', async (t) => {
  let hasNoticed = false
  const sut = await startSut(t, (socket) => {
    speakAsSut(peer(socket), { version: '3.8', types: [1] }).catch(() => {
      hasNoticed = true
    })
  })
  t.is(await look({ port: sut.port, sut_type: 'vnc' }), undefined)
  t.true(hasNoticed)
})

test('a VNC server of version 3.8 that wants no password may refuse in its SecurityResult', async (t) => {
  const sut = await startSut(t, async (socket) => {
    const { take } = peer(socket)
    socket.write('RFB 003.008\n')
    await take(12)
    socket.write(Uint8Array.of(1, 1))
    await take(1)
    socket.end(Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 2, 110, 111))
  })
  t.deepEqual(await find({ port: sut.port, sut_type: 'vnc', password: PASSWORD }), {
    cause: 'refused_by_server',
    reason: 'no',
  })
})

test('a probe that is abandoned leaves no socket', async (t) => {
  const sut = await startSut(t)
  const abandon = new AbortController()
  const looked = look({ port: sut.port, sut_type: 'vnc' }, { signal: abandon.signal, answerMs: 60_000 })
  const accepted = await sut.accepted()
  abandon.abort()
  await accepted.ending
  t.not(await looked, undefined)
})

test('a TigerVNC server accepts 20 probes, and then a user with the right password', async (t) => {
  if (!areInstalled(t, 'Xvnc', 'vncsnapshot')) return
  const { port, directory } = await startXvnc(t)
  const server = { port, sut_type: 'vnc', password: XVNC_PASSWORD } as const
  for (let n = 0; n < 20; n++) t.is(await look(server), undefined)
  t.is(await look({ ...server, password: 'wrong' }), 'password_refused', 'control: it looks at passwords')
  t.true((await takePicture(port, directory, join(directory, 'passwd'))) > 500)
})

test('a TigerVNC server that bars this address is reported as locked_out', async (t) => {
  if (!areInstalled(t, 'Xvnc')) return
  const { port } = await startXvnc(t)
  const found = new Set<string | undefined>()
  for (let n = 0; n < 20 && !found.has('locked_out'); n++) {
    // However slow the machine is.
    found.add(await look({ port, sut_type: 'vnc', password: 'wrong' }, { answerMs: 60_000 }))
  }
  t.deepEqual([...found], ['password_refused', 'locked_out'])
})

test('xrdp confirms a connection', async (t) => {
  if (!areInstalled(t, 'xrdp')) return
  const directory = mkdtempSync(join(tmpdir(), 'berth-xrdp-'))
  const port = await freePort()
  const configuration = join(directory, 'xrdp.ini')
  writeFileSync(
    configuration,
    `[Globals]\nini_version=1\nport=tcp://127.0.0.1:${port}\nsecurity_layer=negotiate\ncrypt_level=high\n` +
      `certificate=\nkey_file=\nautorun=\n[Logging]\nLogFile=${join(directory, 'xrdp.log')}\nLogLevel=INFO\n` +
      'EnableSyslog=false\n[Channels]\n[x]\nname=x\nlib=libvnc.so\n',
  )
  const server = spawn('xrdp', ['--nodaemon', '--config', configuration], { stdio: 'ignore' })
  t.teardown(async () => {
    if (server.exitCode === null && server.kill()) await once(server, 'exit')
    rmSync(directory, { recursive: true })
  })
  await until('xrdp', () => isListening(port), SOON)
  t.is(await look({ port, sut_type: 'rdp' }), undefined)
  t.is(await look({ port, sut_type: 'vnc' }, { answerMs: 1_000 }), 'timed_out', 'control: it is no VNC server')
})
