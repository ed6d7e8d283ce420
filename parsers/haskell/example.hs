{-# LANGUAGE GADTs #-}
{-# LANGUAGE TypeFamilies #-}
{- |
   Module      : Post.Parcel
   Copyright   : Copyright (C) 2024 The Post
   License     : BSD-3-Clause

Track parcels: where each one is, and when it should arrive.
-}
module Post.Parcel
  ( Parcel (..)
  , track
  ) where

import Control.Monad (forM_, unless)
import qualified Data.Map.Strict as M
import Data.Text (Text)

#ifdef DEBUG
import Debug.Trace
#endif

-- | Seconds that a carrier has to answer.
timeout :: Double
timeout = 7.5

low, high :: Int
low = 0
(middle, high) = (4, 9)

greeting = "Zürich → Köln, 東京"

-- | Where a parcel is. It moves on.
data Status
  = Waiting              -- ^ in the depot
  | Underway { since :: !Int, depot :: Maybe Text }
  | Int :@ Text
  -- ^ somewhere
  deriving stock (Show, Eq)

data Parcel place = Parcel
  { code      :: Text      -- ^ as printed on the label
  , places    :: [place]
    -- ^ in order of arrival
  , width, height :: Int
  }

newtype Tracker m a = Tracker { runTracker :: Carrier -> m a }

{-| A path through the depots. -}
type Route a = [(a, a)]

type a :+: b = Either a b

data Request a where
  Locate :: Text -> Request Status
  -- | Answers nothing.
  Ping, Pong :: Request ()

-- | What can be tracked.
class (Eq a) => Trackable a where
  {-# MINIMAL codeOf #-}
  type Place a
  data Key a :: *

  -- | The code on the label.
  codeOf :: a -> Text
  default codeOf :: Show a => a -> Text
  codeOf = pack . show

  first, final :: a -> Place a
  (<+>) :: a -> a -> a
  infixr 6 <+>

instance Trackable (Parcel p) where
  type Place (Parcel p) = p
  codeOf Parcel{..} = code
  p <+> q
    | null (places p) = q
    | otherwise = p { places = places p <> places q }

instance {-# OVERLAPPING #-} (Show a, Show b) => Show (Either a b) where
  showsPrec d (Left x) = showParen (d > 10) $ shows x
  showsPrec _ (Right y) = shows y

instance MonadState s m => MonadState s (Tracker m) where get = lift get
instance Trackable [a]
instance Trackable Char.Rune
deriving instance Eq p => Eq (Parcel p)

type family Elem c where
  Elem [e] = e
  Elem Text = Char

-- | Track a parcel until it is delivered.
--
-- Asks each carrier in turn.
track
  :: forall m. Monad m
  => Carrier         -- ^ whom to ask
  -> Text
  -> m (Maybe Status)
{-# INLINE track #-}
track _ "" = pure Nothing
-- An unknown carrier answers nothing.
track carrier code = do
  answer <- ask
  found <- M.lookup code . index <$> fetch carrier
  unless (isKnown answer) complain
  forM_ found $ \status -> go 3 status
  return $ found >>= settle & normalise
 where
  limit = 3 :: Int
  go :: Int -> Status -> m ()
  go 0 _ = pure ()
  go n status | n > limit = go (n - 1) status
              | otherwise = let twice x = x * 2 in go (twice n `div` 3) status

isFinal :: Status -> Bool
isFinal = \case { Waiting -> False; _ -> True }

parser :: Parser Text
parser = choice [digits, letters] <?> "code"

x `within` (a, b) = a <= x && x <= b
(f ... g) x y = f (g x y)
one = 1 ; two = one + one

pattern Lost :: Int -> Status
pattern Lost n <- Underway { since = n } where
  Lost n = Underway n Nothing

foreign import ccall unsafe "time.h now" c_now :: IO Double

makeLenses ''Parcel

   -- Oddly formatted.
odd'   n=
      even'(n-1)
even' 0=True; even' n = odd' (n-1)

main :: IO ()
main = hspec $ do
  describe "track" $ do
    it "finds a parcel" $ do
      track dhl "PX-1" `shouldReturn` Just Waiting
