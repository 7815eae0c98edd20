import type { ComponentChildren, Ref, RenderableProps } from 'preact'
import type { Refused } from '../../service/api.ts'
import { Icon, type IconName } from '../icon.tsx'

const KINDS = {
  danger: ['warning', 'alert'],
  warn: ['warning', 'alert'],
  ok: ['check', 'status'],
  info: ['clock', 'status'],
  plain: ['lock', 'note'],
} as const

interface Props {
  readonly kind: keyof typeof KINDS
  readonly icon?: IconName
  readonly role?: 'status' | 'note'
  readonly action?: ComponentChildren
  readonly class?: string
  readonly ref?: Ref<HTMLDivElement>
  readonly children: ComponentChildren
}

export const Note = ({ kind, icon, role, action, class: place = '', ref, children }: Props) => {
  const [usualIcon, usualRole] = KINDS[kind]
  return (
    <div class={`note ${kind} ${action ? 'middle' : ''} ${place}`} role={role ?? usualRole} {...(ref && { ref })}>
      <Icon name={icon ?? usualIcon} />
      <div class="grow">{children}</div>
      {action}
    </div>
  )
}

const requestOf = ({ problem: { code, instance } }: Refused): string | undefined => instance && `${code} ${instance}`

/** Why a request was refused, where no field says so. */
export const RefusedNote = ({ refused }: { readonly refused: Refused | undefined }) =>
  refused && (
    <Note kind="danger" action={requestOf(refused) && <span class="mono small muted">{requestOf(refused)}</span>}>
      {refused.message}
    </Note>
  )

export const RequestDetails = ({ refused }: { readonly refused: Refused }) =>
  requestOf(refused) === undefined ? undefined : (
    <details class="small muted">
      <summary>Details</summary>
      <span class="mono">{requestOf(refused)}</span>
    </details>
  )

/** The name of a person or a machine in a sentence. It keeps its direction to itself. */
export const Name = ({ of }: { readonly of: string | undefined }) => (
  <b class="medium">
    <bdi>{of}</bdi>
  </b>
)

/** A tag of a machine, or a word about somebody. */
export const Tag = ({ name, value }: { readonly name?: string; readonly value: string }) => (
  <span class="tag">
    {name !== undefined && <b>{name}</b>}
    <bdi>{value}</bdi>
  </span>
)

/** What is told to readers when it changes. */
export const Status = ({ class: look, children }: RenderableProps<{ readonly class?: string }>) => (
  <p class={look} role="status">
    {children}
  </p>
)
