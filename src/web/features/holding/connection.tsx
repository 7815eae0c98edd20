import type { RenderableProps } from 'preact'
import type { Reservation, Sut } from '../../data/objects.ts'
import { NOTHING } from '../../data/query.ts'
import { formatWhen } from '../../format/format.ts'
import { meOf, usePage, useReading } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { Button } from '../../parts/button.tsx'
import { CommandButton, useCommand } from '../../parts/commands/command.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { RefusedNote, Status } from '../../parts/show/note.tsx'
import type { Schemas } from '../../service/api.ts'
import { currentTime } from '../../service/time.ts'
import type { ReservationCommand } from './use-reservation.ts'

type Connection = Schemas['Connection']

/** Seconds that an answer may wait for the port to open. */
const WAIT = 20
/** Between reads while nobody has connected who must, or nobody can. */
const READ_INTERVAL_MS = 30_000

const isClosed = ({ host, open }: Connection): boolean => host !== null && !open

const useConnection = (id: string) => {
  const { reservations } = usePage()
  return useReading<Connection>({
    key: `connection of ${id}`,
    of: (change) => (change._id === id && reservations.isNews(change) ? id : undefined),
    read: async (source, _ids, before) => {
      // An answer waits for a port that is closed.
      const wait = before && isClosed(before) ? `?wait=${WAIT}` : ''
      return (await source.get(`/api/sut_reservation/${id}/connection${wait}`)).value
    },
    again: (now, before) => {
      if (isClosed(now)) return before && isClosed(before) ? READ_INTERVAL_MS : 0
      return now.released_unused_at === null ? undefined : READ_INTERVAL_MS
    },
  })
}

const HostPort = ({ connection }: { readonly connection: Connection }) => {
  const { host, port } = connection
  if (host === null) return <p class="muted small">Another Berth instance forwards this machine.</p>
  const text = `${host.includes(':') ? `[${host}]` : host}:${port}`
  return (
    <span class="row hostport mono">
      <span class="grow clip">{text}</span>
      <CopyButton text={text} label="Copy host and port" />
    </span>
  )
}

/** What else there is to say of a connection. */
const Remark = ({ icon, children }: RenderableProps<{ readonly icon: IconName }>) => (
  <span class="small muted row">
    <span class={icon === 'check' ? 'row ok' : 'row'}>
      <Icon name={icon} />
    </span>
    {children}
  </span>
)

const PORT_PROBLEMS: Readonly<Record<string, string>> = {
  port_taken: "Another program on Berth's server uses this port. It opens when that program ends.",
  port_unusable: "Berth's server does not allow this port to be opened.",
}

const PortNote = ({ connection }: { readonly connection: Connection }) => {
  if (!isClosed(connection)) return undefined
  const problem = PORT_PROBLEMS[connection.last_error?.cause ?? '']
  return (
    <Status class="small muted">
      {problem === undefined ? 'Opening the port' : <Remark icon="warning">{problem}</Remark>}
    </Status>
  )
}

const FILES = { rdp: 'application/x-rdp', vnc: 'application/x-vnc', tcp: undefined } as const

const ViewerFile = ({ id, connection }: { readonly id: string; readonly connection: Connection }) => {
  const { sut_type, host } = connection
  const { api } = usePage()
  const { run, refused } = useCommand()
  const accept = FILES[sut_type]
  if (accept === undefined || host === null) return undefined
  const download = () =>
    run(
      () => api.file(`/api/sut_reservation/${id}/connection`, accept),
      ({ blob, name }) => saveFile(blob, name),
    )
  return (
    <>
      <Button icon="download" label={`.${sut_type} file`} onClick={download} />
      <RefusedNote refused={refused} />
    </>
  )
}

interface Props {
  readonly reservation: Reservation
  /** Of the machine, where that is known. */
  readonly type: Sut['sut_type'] | undefined
  readonly command: ReservationCommand
  readonly isFirst?: boolean
}

export const Connect = ({ reservation, type, command, isFirst = false }: Props) => {
  const { _id: id, user_id, end_time } = reservation
  const page = usePage()
  const now = page.clock.value
  const isOwn = user_id === meOf(page)._id
  const { value: connection, retry } = useConnection(id)
  const screen = isOwn && type === 'vnc' && connection?.host !== null && (
    <Button
      icon="screen"
      label="Open screen"
      look="primary"
      data-first={isFirst || undefined}
      href={linkTo('screen', id)}
    />
  )
  if (connection === undefined)
    return (
      <div class="row wrap connect">
        <Status class="small muted">Loading connection details…</Status>
        {screen}
      </div>
    )
  return (
    <div class="row wrap connect">
      <HostPort connection={connection} />
      {screen}
      <ViewerFile id={id} connection={connection} />
      {connection.released_unused_at !== null && (
        <Remark icon="warning">
          Released at {formatWhen(Date.parse(connection.released_unused_at), now)} unless someone connects
        </Remark>
      )}
      <KeptNote id={id} end={Date.parse(end_time)} />
      <PortNote connection={connection} />
      {connection.bound_here ? (
        <Remark icon="check">This computer may connect</Remark>
      ) : (
        <CommandButton
          icon="plug"
          label="Allow this computer"
          look="small"
          command={command}
          doing="Allowing…"
          onPress={() => command.act('update', undefined, retry)}
        />
      )}
    </div>
  )
}

/** Between reads, as no change tells that one was kept alive: half of the time that is left, within these bounds. */
const LEAST_INTERVAL_MS = 10_000
const MOST_INTERVAL_MS = 300_000

/** Says until when a reservation is kept that is released unless something keeps it alive, such as those of pipelines. */
const KeptNote = ({ id, end }: { readonly id: string; readonly end: number }) => {
  const now = usePage().clock.value
  const { value: until } = useReading({
    ...{ key: `kept ${id}`, ...NOTHING },
    read: async (source) => {
      const { keptUntil } = await source.get(`/api/sut_reservation/${id}`)
      return keptUntil === undefined ? undefined : Date.parse(keptUntil)
    },
    again: (time) => time && Math.min(Math.max((time - currentTime()) / 2, LEAST_INTERVAL_MS), MOST_INTERVAL_MS),
  })
  if (until === undefined || until >= end) return undefined
  return <Remark icon="clock">Kept until {formatWhen(until, now)}, then released unless kept alive</Remark>
}
