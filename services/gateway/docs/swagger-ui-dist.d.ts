declare module "swagger-ui-dist/absolute-path.js" {
  /** The directory of the package. */
  export default function absolutePath(): string;
}
