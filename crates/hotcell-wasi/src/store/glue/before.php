<?php
// What a script finds in `php` and not in `php-cgi` for WASI: the working directory, the standard streams, its own name.

@chdir(getenv('PWD') ?: '/');

// `php://stdin` and the like duplicate a descriptor, which cannot be done here. They are opened by their other names; everything
// else goes to the wrapper that was there before.
final class HotcellStandardStreams
{
    private const NAMES = ['stdin' => '/dev/stdin', 'stdout' => '/dev/stdout', 'stderr' => '/dev/stderr'];

    public $context;
    private $stream;

    public function stream_open(string $path, string $mode, int $options, ?string &$opened): bool
    {
        $name = self::NAMES[strtolower(substr($path, 6))] ?? null;
        if ($name === null) {
            stream_wrapper_restore('php');
        }
        $this->stream = @fopen($name ?? $path, $mode);
        if ($name === null) {
            self::install();
        }
        return $this->stream !== false;
    }

    public static function install(): void
    {
        stream_wrapper_unregister('php');
        stream_wrapper_register('php', self::class);
    }

    public function stream_read(int $count): string|false { return fread($this->stream, $count); }
    public function stream_write(string $data): int { return (int) fwrite($this->stream, $data); }
    public function stream_eof(): bool { return feof($this->stream); }
    public function stream_tell(): int { return (int) ftell($this->stream); }
    public function stream_seek(int $offset, int $whence): bool { return fseek($this->stream, $offset, $whence) === 0; }
    public function stream_flush(): bool { return fflush($this->stream); }
    public function stream_truncate(int $size): bool { return ftruncate($this->stream, $size); }
    public function stream_stat(): array|false { return fstat($this->stream); }
    public function stream_lock(int $operation): bool { return true; }
    public function stream_set_option(int $option, int $first, ?int $second): bool { return false; }
    public function stream_cast(int $as) { return $this->stream; }
    public function stream_close(): void { fclose($this->stream); }
    public function url_stat(string $path, int $flags): array|false { return false; }
}

HotcellStandardStreams::install();
define('STDIN', fopen('php://stdin', 'r'));
define('STDOUT', fopen('php://stdout', 'w'));
define('STDERR', fopen('php://stderr', 'w'));
if (getenv('HOTCELL_PHP_SCRIPT') !== false) {
    $argv[0] = $_SERVER['argv'][0] = getenv('HOTCELL_PHP_SCRIPT');
    putenv('HOTCELL_PHP_SCRIPT');
}
