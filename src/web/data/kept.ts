import type { Api } from '../service/api.ts'

export type Kept = ReturnType<typeof openKept>

interface KeptOptions {
  readonly api: Pick<Api, 'post'>
  readonly isSignedIn: () => boolean
  readonly storage?: Pick<Storage, 'getItem' | 'setItem'>
}

const STORED = 'berth.kept'
/** Signs of life in the time of one. */
const SIGNS = 4

/** Requests with `keepalive` that were made on this page: each is passed over unless it is kept alive. */
export const openKept = ({ api, isSignedIn, storage = sessionStorage }: KeptOptions) => {
  const kept = new Map<string, number>(JSON.parse(storage.getItem(STORED) ?? '[]') as [string, number][])
  const save = (): void => storage.setItem(STORED, JSON.stringify([...kept]))

  /** False once the service says that there is nothing to keep alive. What is not answered may be so later. */
  const isAlive = async (id: string): Promise<boolean> => {
    if (!isSignedIn()) return true
    const { refused } = await api.post(`/api/sut_request/${encodeURIComponent(id)}/keepalive`)
    return refused === undefined || ![403, 404, 409].includes(refused.status)
  }
  const follow = async (id: string, seconds: number): Promise<void> => {
    if (await isAlive(id)) {
      setTimeout(follow, (seconds * 1_000) / SIGNS, id, seconds)
      return
    }
    kept.delete(id)
    save()
  }
  for (const [id, seconds] of kept) void follow(id, seconds)

  return {
    /** Keeps one alive, in seconds, as long as the page is open, also after it was loaded again. */
    keep: (id: string, seconds: number): void => {
      kept.set(id, seconds)
      save()
      void follow(id, seconds)
    },
    has: (id: string): boolean => kept.has(id),
  }
}
