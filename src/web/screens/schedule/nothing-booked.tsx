import type { VNode } from 'preact'
import { Beyond } from '../../features/reserve/beyond.tsx'
import { Button } from '../../parts/button.tsx'
import { Note, RequestDetails } from '../../parts/show/note.tsx'
import type { Refused } from '../../service/api.ts'
import { Popover } from './popover.tsx'

interface Props {
  readonly title: string
  readonly text: string
  readonly refused: Refused
  readonly anchor: () => Element | null
  readonly onSend: (isBeyondQuota?: boolean) => void
  /** Back to the form, with what was typed. */
  readonly onBack: () => void
  readonly onClose: () => void
}

/** Why nothing was booked. */
export const NothingBooked = (props: Props): VNode => {
  const { title, text, refused, anchor, onSend, onBack, onClose } = props
  return (
    <Popover title={title} subtitle="Nothing was booked" anchor={anchor} onClose={onClose}>
      <div class="pop-body">
        <Note kind="danger">{text}</Note>
        <RequestDetails refused={refused} />
      </div>
      <div class="pop-foot">
        <Beyond refused={refused} look="primary" onPress={() => onSend(true)} />
        {(refused.status === 0 || refused.status >= 500) && (
          <Button label="Try again" look="primary" onClick={() => onSend()} />
        )}
        <Button label="Back" onClick={onBack} />
      </div>
    </Popover>
  )
}
