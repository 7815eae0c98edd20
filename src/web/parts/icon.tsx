import type { IconName } from './icon-name.ts'

export type { IconName }

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="i" aria-hidden="true">
    <use href={`#i-${name}`} />
  </svg>
)

export const Mark = () => (
  <svg viewBox="0 0 20 20" fill="none" aria-hidden="true">
    <path
      d="M3 3v9.5A4.5 4.5 0 0 0 7.5 17h5a4.5 4.5 0 0 0 4.5-4.5V3"
      stroke="currentColor"
      stroke-width="2.5"
      stroke-linecap="round"
    />
    <rect x="7" y="3" width="6" height="9.5" rx="2" fill="currentColor" />
  </svg>
)
