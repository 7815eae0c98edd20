/** What the page uses of noVNC, which brings no types: https://github.com/novnc/noVNC/blob/v1.7.0/docs/API.md */
declare module '@novnc/novnc' {
  interface RfbEvents {
    readonly connect: Event
    readonly disconnect: CustomEvent<{ readonly clean: boolean }>
    readonly clipboard: CustomEvent<{ readonly text: string }>
    readonly credentialsrequired: CustomEvent<{ readonly types: readonly string[] }>
    readonly serververification: Event
    readonly securityfailure: CustomEvent<{ readonly status: number; readonly reason?: string }>
  }

  class RFB {
    constructor(target: HTMLElement, channel: WebSocket)
    scaleViewport: boolean
    clipViewport: boolean
    viewOnly: boolean
    /** 0 to 9, from the worst to the best. */
    qualityLevel: number
    background: string
    addEventListener<K extends keyof RfbEvents>(type: K, listener: (event: RfbEvents[K]) => void): void
    disconnect(): void
    focus(): void
    blur(): void
    sendCtrlAltDel(): void
    /** Presses and releases a key where `down` is left out. */
    sendCredentials(credentials: { readonly username?: string; readonly password?: string }): void
    sendKey(keysym: number, code: string | null, down?: boolean): void
    clipboardPasteFrom(text: string): void
  }

  // biome-ignore lint/style/noDefaultExport: the package exports it so
  export { RFB as default }
}
