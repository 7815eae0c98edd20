import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { checkpointOf, shortRoot } from '../../features/events/checkpoint.ts'
import { formatNumber, formatSecond } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { RefusedNote } from '../../parts/show/note.tsx'
import { Refused } from '../../service/api.ts'

interface Signed {
  readonly text: string
  readonly at: number
}

/** A checkpoint of the log as it is now. Each costs a signature, so it is made when the screen is opened or one asks. */
const useCheckpoint = () => {
  const { api } = usePage()
  const [signed, setSigned] = useState<Signed | undefined>(undefined)
  const [failed, setFailed] = useState<Refused | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const read = async (): Promise<void> => {
    setBusy(true)
    setFailed(undefined)
    try {
      const { blob } = await api.file('/api/audit/checkpoint', 'text/plain')
      setSigned({ text: await blob.text(), at: Date.now() })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      setFailed(error)
    }
    setBusy(false)
  }
  useEffect(() => void read(), [])
  return { signed, failed, isBusy, read }
}

export const NewestCheckpoint = (): VNode => {
  const { control } = usePage()
  const isAnswered = control.isAnswered.value
  const { signed, failed, isBusy, read } = useCheckpoint()
  const checkpoint = signed && checkpointOf(signed.text)
  const facts = (): unknown => {
    if (signed === undefined || checkpoint === undefined) return undefined
    const download = (): void =>
      saveFile(new Blob([signed.text], { type: 'text/plain' }), `log-${checkpoint.entries}.checkpoint`)
    return (
      <>
        <dl class="facts">
          <dt>Signed</dt>
          <dd class="num">today {formatSecond(signed.at)}</dd>
          <dt>Entries</dt>
          <dd class="num">{formatNumber(checkpoint.entries)}</dd>
          <dt>Root</dt>
          <dd class="mono" title={checkpoint.root}>
            {shortRoot(checkpoint.root)}
          </dd>
          <dt>Key</dt>
          <dd class="mono">{checkpoint.key}</dd>
        </dl>
        <div class="row wrap">
          <CopyButton text={signed.text} isWide />
          <Button icon="download" label="Download" look="small" onClick={download} />
          <IconButton
            icon="refresh"
            label="Sign a new one"
            look="quiet small"
            disabled={isBusy || !isAnswered}
            onClick={read}
          />
        </div>
        <p class="small muted">Store it elsewhere. It proves that nothing recorded so far was changed or removed.</p>
      </>
    )
  }
  return (
    <section class="stack checkpoint" aria-label="Newest checkpoint">
      <div class="row">
        <Icon name="shield" />
        <h2 class="grow">Newest checkpoint</h2>
      </div>
      {facts()}
      {signed === undefined && failed === undefined && (
        <p class="muted" role="status">
          Loading
        </p>
      )}
      {failed !== undefined && (
        <>
          <RefusedNote refused={failed} />
          <div>
            <Button label="Try again" look="small" disabled={isBusy} onClick={read} />
          </div>
        </>
      )}
    </section>
  )
}
