<?php

declare(strict_types=1);

namespace Postern;

/** No response arrived: the connection failed, or the time limit passed. */
final class ConnectionException extends PosternException
{
}
