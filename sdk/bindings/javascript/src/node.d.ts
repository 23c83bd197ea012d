// Declares the one function of Node that the package calls, so that building needs no types of Node.
declare module "node:fs/promises" {
  export function readFile(path: URL): Promise<Uint8Array>;
}
