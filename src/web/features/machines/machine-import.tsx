import { useState } from 'preact/hooks'
import { formatCount } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { Switch } from '../../parts/field.tsx'
import { Note } from '../../parts/show/note.tsx'
import { ImportDialog, type Kind } from '../import/import-dialog.tsx'
import { toSut, USUAL_INTERVAL } from './machine-values.ts'

const KIND: Kind = {
  title: 'Import machines',
  path: '/api/sut/import',
  member: 'suts',
  columns: {
    required: ['name', 'address', 'port', 'sut_type'],
    optional: [
      ...['os', 'version', 'manufacturer', 'model', 'description', 'is_active', 'user_name', 'password'],
      ...['rdp_width', 'rdp_height', 'turnaround', 'release_unused_after'],
    ],
    prefix: 'tag.',
    most: 500,
  },
  count: (many) => formatCount(many, 'machine'),
  toRow: toSut,
  example: [
    'name,address,port,sut_type,os,version,password,tag.rack,tag.os',
    'win11-01,10.40.1.11,3389,rdp,Windows 11,24H2,,1,windows',
    'gpu-a100-1,10.40.2.11,5900,vnc,Ubuntu,24.04,secret,2,linux',
    '',
  ].join('\r\n'),
}

const AT_A_TIME = 4

export const MachineImport = ({ onClose }: { readonly onClose: () => void }) => {
  const { api } = usePage()
  const [isProbed, setProbed] = useState(true)
  const [left, setLeft] = useState<number | undefined>(undefined)
  const probe = async (answer: Readonly<Record<string, unknown>>): Promise<void> => {
    if (!isProbed) return
    let failed = 0
    const queue = (answer.suts as readonly { readonly _id: string }[]).map(({ _id }) => _id)
    const work = async (): Promise<void> => {
      for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
        const { refused } = await api.send(`/api/sut/${id}/monitoring`, {
          body: { enabled: true, interval: USUAL_INTERVAL },
        })
        if (refused !== undefined) failed++
      }
    }
    await Promise.all(Array.from({ length: AT_A_TIME }, work))
    setLeft(failed)
  }
  return (
    <ImportDialog kind={KIND} onAdded={probe} onClose={onClose}>
      {left === undefined && (
        <Switch label={`Monitor each every ${USUAL_INTERVAL} s`} isOn={isProbed} onChange={setProbed} />
      )}
      {left !== undefined && left > 0 && (
        <Note kind="warn">{left} of them could not be monitored. Edit them to try again.</Note>
      )}
    </ImportDialog>
  )
}
