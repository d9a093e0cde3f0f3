export type Environment = Readonly<Record<string, string | undefined>>

/** What a password manager or a browser needs to find its files, its agent and its screen. */
const handedOn = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR', 'TERM', 'LANG', 'LC_ALL', 'TZ'],
  ...['GNUPGHOME', 'GPG_TTY', 'GPG_AGENT_INFO', 'SSH_AUTH_SOCK', 'PASSWORD_STORE_DIR'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'DBUS_SESSION_BUS_ADDRESS', 'BROWSER', 'DESKTOP_SESSION'],
  ...['XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_DATA_DIRS', 'XDG_CURRENT_DESKTOP'],
  ...['SystemRoot', 'SystemDrive', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'ProgramFiles', 'PATHEXT'],
]

export function environmentOfOthers(env: Environment): Record<string, string> {
  return Object.fromEntries(handedOn.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
}
