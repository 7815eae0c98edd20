import test from 'ava'
import { openKept } from '../../../src/web/data/kept.ts'
import { type Api, Refused } from '../../../src/web/service/api.ts'
import { until } from '../../http/until.ts'

/** Requests that the page keeps alive, in a service that answers as told. */
const stage = (stored = new Map<string, string>(), isSignedIn = () => true) => {
  const sent: string[] = []
  let status = 200
  const post: Api['post'] = async (path) => {
    sent.push(path)
    if (status !== 200) return { refused: new Refused(status, { code: 'any', detail: '' }) }
    return { value: undefined as never, etag: undefined, position: undefined }
  }
  const storage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
  }
  return {
    stored,
    sent,
    answer: (next: number): void => {
      status = next
    },
    kept: openKept({ api: { post }, isSignedIn, storage }),
  }
}

const SOON = 0.02

test('a request of the page is kept alive until the service says that it is over', async (t) => {
  const { sent, answer, kept, stored } = stage()
  t.false(kept.has('one'))
  kept.keep('one', SOON)
  await until('signs of life', async () => sent.length > 3, 10_000)
  t.is(sent[0], '/api/sut_request/one/keepalive')
  answer(0)
  const before = sent.length
  await until('it is tried again', async () => sent.length > before + 1, 10_000)
  t.true(kept.has('one'))
  answer(409)
  await until('it is over', async () => !kept.has('one'), 10_000)
  t.deepEqual([...stored.values()], ['[]'])
})

test('a page that is loaded again keeps alive what it kept before, once one is signed in', async (t) => {
  let isSignedIn = false
  const stored = new Map([['berth.kept', JSON.stringify([['one', SOON]])]])
  const { sent, answer, kept } = stage(stored, () => isSignedIn)
  t.true(kept.has('one'))
  t.deepEqual(sent, [])
  isSignedIn = true
  await until('a sign of life', async () => sent.length > 0, 10_000)
  answer(404)
  await until('it is over', async () => !kept.has('one'), 10_000)
})
