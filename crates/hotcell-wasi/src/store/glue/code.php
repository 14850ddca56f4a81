<?php
// `php -r CODE`.
$argv[0] = $_SERVER['argv'][0] = 'Standard input code';
eval((static function () {
    $code = getenv('HOTCELL_PHP_CODE');
    putenv('HOTCELL_PHP_CODE');
    return $code;
})());
