import { setImmediate } from 'node:timers/promises'
import { signal } from '@preact/signals'
import test from 'ava'
import { type Api, makeApi } from '../../../src/web/service/api.ts'
import { readWhenSignedIn } from '../../../src/web/service/session.ts'

test('once a session has ended nothing is read until somebody has signed in again', async (t) => {
  const asked: string[] = []
  const get: Api['get'] = (path) => {
    asked.push(path)
    return Promise.resolve({ value: path as never, etag: undefined, position: undefined })
  }
  const nobody = makeApi({ session: () => undefined, onUnauthenticated: t.fail, onAnswer: () => undefined })
  const session = signal({ phase: 'in' })
  let isKept = true
  const api = readWhenSignedIn({ ...nobody, get }, session, () => isKept)
  await api.get('/before')
  isKept = false
  session.value = { phase: 'ended' }
  const waiting = api.get('/ended')
  await setImmediate()
  t.deepEqual(asked, ['/before'])
  // Who signs in is read before that is known.
  isKept = true
  await api.get('/me')
  session.value = { phase: 'in' }
  await waiting
  t.deepEqual(asked, ['/before', '/me', '/ended'])
})
