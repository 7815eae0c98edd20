import test from 'ava'
import { hashText, mixHashes } from '../../../src/domain/matching/order.ts'
import { matchableOf } from '../../../src/read-models/lists/matchable.ts'
import { makeMatching } from '../../../src/read-models/matching/matching.ts'
import type { OnFolded } from '../../../src/read-models/projector/follow.ts'
import type { NewVersion } from '../../../src/read-models/tables/version.ts'
import type { Views } from '../../../src/read-models/views.ts'
import { sutValues } from '../../domain/builders.ts'
import { makeNumbers } from '../lists/many-reservations.ts'

const [Q, DAY] = [900, 86_400]
const NOW = Date.parse('2030-05-02T06:00:00Z') / 1000
const HORIZON = NOW + 366 * DAY

interface Held {
  readonly start: number
  readonly end: number
  ended: 'released' | 'cancelled' | null
}
interface Known {
  readonly document: { readonly _id: string; is_active: boolean; os: string; monitoring: { status: string } }
  retired: boolean
  readonly held: Map<string, Held>
}

const written = (time: number): string => new Date(time * 1000).toISOString().replace('.000Z', '+00:00')

const textsOf = (document: Known['document']) => ({
  document: JSON.stringify(document),
  internal: JSON.stringify({ status: document.monitoring.status.toLowerCase(), settings: {} }),
})

/** Views of SUTs whose windows are given, which say what changes. */
const aLab = (seed: number, count: number) => {
  const number = makeNumbers(seed)
  const suts = new Map<string, Known>()
  let last = 0
  const hold = (sut: Known): string => {
    const id = `reservation-${last++}`
    const starts = [...sut.held.values()].map(({ end }) => end)
    const from = Math.max(NOW - 4 * DAY, ...starts)
    const start = from + Q * number(30)
    sut.held.set(id, { start, end: start + Q * (1 + number(12)), ended: null })
    return id
  }
  for (let n = 0; n < count; n++) {
    const _id = `sut-${n}`
    const monitoring = { status: ['Online', 'Offline', 'Unknown'][number(3)] as string }
    const document = { ...sutValues(), _id, tags: {}, monitoring, is_active: number(5) > 0, os: `os ${number(3)}` }
    const known = { document, retired: false, held: new Map() }
    suts.set(_id, known)
    for (let held = number(12); held > 0; held--) hold(known)
  }
  let listener: OnFolded = () => undefined
  const tell = (projection: 'sut' | 'reservation', id: string): void =>
    listener([], [{ projection, before: undefined, after: { id, ...newest(projection, id) } as NewVersion }])
  const findReservation = (id: string) => {
    for (const [sut_id, { held }] of suts) {
      const found = held.get(id)
      if (found !== undefined) return { sut_id, ...found }
    }
    return undefined
  }
  const newest = (kind: string, id: string) => {
    if (kind === 'sut') {
      const { document, retired } = suts.get(id) as Known
      return { ...textsOf(document), ended: retired ? 'retired' : null }
    }
    const { sut_id, start, end, ended } = findReservation(id) ?? { sut_id: '', start: 0, end: 0, ended: null }
    return { document: JSON.stringify({ sut_id, start_time: written(start), end_time: written(end) }), ended }
  }
  const read = (moment: number) => ({
    suts: [...suts.values()]
      .filter(({ retired }) => !retired)
      .map(({ document, held }) => {
        const { status } = document.monitoring
        const real = [...held.values()].filter(({ ended }) => ended !== 'cancelled')
        return {
          ...matchableOf({ document, internal: { status: status.toLowerCase(), settings: {} } } as never),
          _id: document._id,
          lastEnd: Math.max(0, ...real.map(({ end }) => end).filter((end) => end <= moment)),
          windows: real
            .filter(({ end }) => end > moment)
            .map(({ start, end, ended }) => ({ start, end, isReleased: ended === 'released' })),
        }
      }),
    next: undefined,
  })
  const views = {
    read: async (_: string, moment: number) => ({ listed: read(moment) }),
    watch: (given: typeof listener) => {
      listener = given
      return () => undefined
    },
  } as unknown as Pick<Views, 'read' | 'watch'>
  return { number, suts, hold, tell, views }
}

const overlaps = (a: { start: number; end: number }, b: { start: number; end: number }): boolean =>
  a.start < b.end && b.start < a.end

/** The SUTs that are free, in the order of the interface: by a look at every window of each. */
const ranked = (suts: ReadonlyMap<string, Known>, os: string, window: { start: number; end: number }, seed: string) =>
  [...suts.values()]
    .filter(({ document, retired }) => !retired && document.is_active && document.monitoring.status !== 'Offline')
    .filter(({ document }) => document.os === os)
    .flatMap(({ document, held }) => {
      const real = [...held.values()].filter(({ ended }) => ended !== 'cancelled')
      if (real.some((one) => overlaps(one, window))) return []
      const before = real.filter(({ end }) => end <= window.start).map(({ end }) => end)
      const after = real.filter(({ start }) => start >= window.end).map(({ start }) => start)
      const from = Math.max(NOW, ...before)
      const until = Math.min(HORIZON, ...after)
      const idle =
        before.length === 0 ? Number.POSITIVE_INFINITY : Math.floor((window.start - Math.max(...before)) / DAY)
      const hash = mixHashes(hashText(seed), hashText(document._id))
      return [{ id: document._id, rest: until - from - (window.end - window.start), idle, hash }]
    })
    .sort((a, b) => a.rest - b.rest || (a.idle === b.idle ? a.hash - b.hash : b.idle - a.idle))

const change = ({ number, suts, hold, tell }: ReturnType<typeof aLab>): void => {
  const [id, sut] = [...suts][number(suts.size)] as [string, Known]
  if (sut.retired) return
  const ids = [...sut.held]
    .filter(([, { ended, start }]) => ended === null && start > NOW)
    .map(([reservation]) => reservation)
  const reservation = ids[number(Math.max(1, ids.length))]
  switch (number(6)) {
    case 0:
      sut.document.is_active = !sut.document.is_active
      tell('sut', id)
      break
    case 1:
      sut.document.monitoring = { status: number(2) === 0 ? 'Online' : 'Offline' }
      tell('sut', id)
      break
    case 2:
      sut.document.os = `os ${number(3)}`
      tell('sut', id)
      break
    case 3:
      if (reservation === undefined) break
      ;(sut.held.get(reservation) as Held).ended = 'cancelled'
      tell('reservation', reservation)
      break
    case 4:
      if (number(20) > 0) break
      sut.retired = true
      tell('sut', id)
      break
    default:
      tell('reservation', hold(sut))
      break
  }
}

test('candidates come by rest, idle days and hash, whatever has changed since they were read', async (t) => {
  for (let seed = 1; seed <= 5; seed++) {
    const lab = aLab(seed, 40)
    const { search } = makeMatching({ views: lab.views, clock: () => NOW * 1000 })
    for (let round = 0; round < 80; round++) {
      const start = NOW + Q * lab.number(200)
      const window = { start, end: start + Q * (1 + lab.number(8)) }
      const os = `os ${lab.number(3)}`
      const asked = {
        criteria: { os: os.toUpperCase() },
        scopes: [],
        window,
        latest: HORIZON,
        seed: `request ${round}`,
      }
      const candidates = await search(asked)
      const expected = ranked(lab.suts, os, window, asked.seed)
      const byHash = expected.toSorted((a, b) => a.hash - b.hash).map(({ id }) => id)
      const best = expected.slice(0, 1).map(({ id }) => id)
      const others = byHash.filter((id) => id !== best[0])
      t.is(candidates.choose(), best[0])
      t.deepEqual([...candidates.inOrder(best[0] ?? 'none')], [...best, ...others], `seed ${seed}, round ${round}`)
      t.is(candidates.choose(new Set(best)), others[0] ?? best[0])
      const fitting = [...lab.suts.values()].filter(({ document, retired }) => !retired && document.os === os)
      t.is(candidates.explain().matching, fitting.length)
      for (let n = 0; n < 5; n++) change(lab)
      // The same candidates see what has changed.
      t.is(candidates.choose(), ranked(lab.suts, os, window, asked.seed)[0]?.id)
    }
  }
})
