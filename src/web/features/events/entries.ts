import type { Readable, Schemas } from '../../service/api.ts'

type Recorded = Pick<Schemas['HistoryEvent'], 'sequence' | 'time' | 'stream' | 'revision' | 'actorname' | 'reason'>

export interface Entry extends Recorded {
  /** `berth.SutUpdated`. */
  readonly type: string
  readonly actor?: string
  readonly data: Readonly<Record<string, unknown>>
  readonly changes: readonly Change[]
}

export interface Change {
  readonly path: string
  readonly from?: unknown
  readonly to?: unknown
  /** Of secrets, whose values nobody sees. */
  readonly changed?: true
}

const PAGE = 1_000

/** How many there are, and the newest of them, newest first. */
export const readNewest = async (api: Readable, sutId: string, most: number) => {
  const path = `/api/sut/${sutId}/history` as const
  const { count } = (await api.get(`${path}?limit=1`)).value
  const entries: Entry[] = []
  for (let offset = Math.max(0, count - most); ; offset += PAGE) {
    const { value } = await api.get(`${path}?offset=${offset}&limit=${Math.min(most, PAGE)}`)
    entries.push(...value.events)
    if (offset + PAGE >= count) return { count: value.count, entries: entries.toReversed() }
  }
}

const LABELS: Readonly<Record<string, string>> = {
  ...{ name: 'Name', description: 'Description', address: 'Address', port: 'Port', sut_type: 'Type' },
  ...{ is_active: 'Can be reserved', manufacturer: 'Manufacturer', model: 'Model', os: 'System', version: 'Version' },
  ...{ rdp_width: 'Width', rdp_height: 'Height', password: 'Password', user_name: 'User name', tags: 'Tags' },
  ...{ turnaround: 'Turnaround', release_unused_after: 'Release if unused' },
  ...{ monitoring: 'Monitoring', listen_port: 'Listen port' },
}

export const labelOf = ({ path }: Change): string => {
  const [, name = ''] = path.split('/')
  return LABELS[name] ?? name
}

export const lastChange = (entries: readonly Entry[], revision: number): Entry | undefined =>
  entries.find(
    // What names the machine it is about is a reservation's.
    ({ data, revision: its = 0, stream }) => data.sut_id === undefined && stream.startsWith('sut-') && its > revision,
  )
