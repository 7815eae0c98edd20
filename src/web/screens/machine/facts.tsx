import type { FullSettings, Settings, Sut } from '../../data/objects.ts'
import { formatSeconds } from '../../format/format.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { KeyValues } from '../../parts/show/key-values.tsx'
import { Tag } from '../../parts/show/note.tsx'
import { Subscribe } from '../../parts/show/subscribe.tsx'

const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' ')

type Row = readonly [name: string, value: string]

const settingsOf = ({ turnaround, release_unused_after }: Settings): readonly Row[] => [
  ['Turnaround', turnaround === 0 ? 'none' : `${formatSeconds(turnaround)} after each reservation`],
  ...(release_unused_after === 0
    ? []
    : [['If unused', `released after ${formatSeconds(release_unused_after)}`] as const]),
]

const fullSettingsOf = (sut: Sut, settings: FullSettings): readonly Row[] => {
  const { listen_port, monitoring_interval, has_password, has_user_name, rdp_width, rdp_height } = settings
  const kept = joined(
    has_user_name ? 'user name' : '',
    has_user_name && has_password ? 'and' : '',
    has_password ? 'password' : '',
  )
  return [
    ['Listen port', listen_port === null ? 'none' : String(listen_port)],
    ['Stored', kept === '' ? 'nothing' : kept],
    ['Monitored', monitoring_interval === null ? 'no' : `every ${formatSeconds(monitoring_interval)}`],
    ...(sut.sut_type === 'rdp' && rdp_width !== null && rdp_height !== null
      ? [['Desktop', `${rdp_width} × ${rdp_height}`] as const]
      : []),
  ]
}

export const Facts = ({ sut, settings }: { readonly sut: Sut; readonly settings: Settings | undefined }) => {
  const { sut_type, address, port, os, manufacturer, model, version, description } = sut
  const place = `${address.includes(':') ? `[${address}]` : address}:${port}`
  const at = (
    <span class="row">
      <bdi class="mono">{place}</bdi>
      <CopyButton text={place} label="Copy the address" />
    </span>
  )
  return (
    <KeyValues
      rows={[
        ['Type', sut_type.toUpperCase()],
        ['Address', at],
        ['System', os],
        ['Manufacturer', joined(manufacturer, model)],
        ['Version', version],
        ...(settings === undefined ? [] : settingsOf(settings)),
        ...(settings?.listen_port === undefined ? [] : fullSettingsOf(sut, settings as FullSettings)),
        ['Calendar', <Subscribe key="calendar" path={`/api/sut/${sut._id}/calendar.ics`} />],
        ['Description', description, 'second lines'],
      ]}
    />
  )
}

export const Tags = ({ sut, onEdit }: { readonly sut: Sut; readonly onEdit: (() => void) | undefined }) => (
  <div class="stack">
    <div class="row">
      <h2 class="grow">Tags</h2>
      {onEdit !== undefined && <Button label="Edit" look="quiet small" aria-label="Edit the tags" onClick={onEdit} />}
    </div>
    <div class="chips">
      {Object.entries(sut.tags).map(([name, value]) => (
        <Tag key={name} name={name} value={value} />
      ))}
      {Object.keys(sut.tags).length === 0 && <span class="muted">None</span>}
    </div>
  </div>
)
