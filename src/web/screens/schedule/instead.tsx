import type { ComponentChildren } from 'preact'
import { usePage } from '../../page/context.ts'
import { rove } from '../../parts/choose/rove.ts'
import type { Command } from '../../parts/commands/command.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { Note, RefusedNote } from '../../parts/show/note.tsx'
import { Popover } from './popover.tsx'

export interface Option {
  readonly icon: IconName
  readonly text: string
  readonly hint: string
  readonly take: () => void
}

export interface InsteadProps {
  readonly title: string
  readonly subtitle: string
  readonly options: readonly Option[]
  readonly waiting: Command
  readonly anchor: () => Element | null
  readonly onBack: () => void
  readonly onClose: () => void
  /** Why it cannot be had. */
  readonly children: ComponentChildren
}

/** What can be had in place of what was refused: one press takes it. The last one leads back to the form. */
export const Instead = (props: InsteadProps) => {
  const { title, subtitle, options, waiting, anchor, onBack, onClose, children } = props
  const isAnswered = usePage().control.isAnswered.value
  return (
    <Popover title={title} subtitle={subtitle} anchor={anchor} onClose={onClose}>
      <div class="pop-body">
        <Note kind="danger" icon="lock">
          {children}
        </Note>
        <RefusedNote refused={waiting.refused} />
        <div class="choices" onKeyDown={(event: KeyboardEvent) => void rove(event, '.choice')}>
          {options.length > 0 && <span class="label">Reserve instead</span>}
          {options.map(({ icon, text, hint, take }, n) => (
            <button
              type="button"
              class={n === 0 ? 'row choice first' : 'row choice'}
              disabled={!isAnswered}
              onClick={take}
            >
              <Icon name={icon} />
              <b class="clip">
                <bdi>{text}</bdi>
              </b>{' '}
              <span class="muted nowrap">{hint}</span>
            </button>
          ))}
          <button type="button" class="row choice" onClick={onBack}>
            <Icon name="edit" />
            <b>Choose another time</b>
          </button>
        </div>
      </div>
    </Popover>
  )
}
